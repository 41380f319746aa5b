// The daemon as a process: flags, signals, ready lines on stdout and an exit code.
import { type OwnCommand, ownEnvironment, parseFlags, runProcess, stopSignal } from '@portico/host';
import { type DaemonUrls, serveDaemon } from './serve-daemon.js';

export interface DaemonEvents {
  /** Called with the base address once it accepts connections, and with what makes the address of the console. */
  readonly onReady?: (url: string, more: Pick<DaemonUrls, 'consoleUrl'>) => void;
  /** The command in configurations of AI clients, without its flags; by default that of `@portico/mcp-stdio`. */
  readonly mcpStdio?: OwnCommand;
}

const program = {
  name: 'portico-daemon',
  description: 'Serve MCP servers through one HTTP facade.',
  flags: {
    port: 'port to listen on, 0 for any free one (default: the configured one, else 9090)',
    bind: 'address to bind to; beyond loopback needs rbac or an authToken (default: 127.0.0.1)',
  },
};

/**
 * Runs until SIGTERM or SIGINT, then ends the process: 0 after a clean stop, 2 when flags, configuration, environment,
 * state directory, audit file or port cannot be used, 1 after a defect.
 * @param argv arguments behind the program's name
 */
export async function runDaemon(argv: readonly string[], { onReady, ...events }: DaemonEvents = {}): Promise<never> {
  const flags = parseFlags(program, argv);
  return runProcess(() =>
    serveDaemon(stopSignal(), {
      ...flags,
      ...events,
      ...ownEnvironment(),
      ownsProcess: true,
      onReady({ api, mcp, accessRules, consoleUrl }) {
        const lines = [`portico listening on ${api}`, ...accessRules.map((rule) => `portico access: ${rule}`)];
        if (mcp !== undefined) lines.push(`portico mcp listening on ${mcp}`);
        process.stdout.write(`${lines.join('\n')}\n`); // at once: a reader that waits for the first has them all
        onReady?.(api, { consoleUrl });
      },
    }),
  );
}
