// The daemon from start to end: flags, a host on its sockets, and everything closed again.
import { fileURLToPath } from 'node:url';
import {
  type Host,
  type Listening,
  listen,
  type OwnCommand,
  parseFlags,
  runProcess,
  runUntilStopped,
} from '@portico/host';

export interface DaemonEvents {
  /** Called with the base address once it accepts connections. */
  readonly onReady?: (url: string) => void;
  /** What AI clients are told to run, before its flags; the server package of its own by default. */
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
export async function runDaemon(argv: readonly string[], events: DaemonEvents = {}): Promise<never> {
  const { bind = '127.0.0.1', port, ...flags } = parseFlags(program, argv);
  const mcpStdio = events.mcpStdio ?? ownMcpStdio();
  const openSockets = async (host: Host): Promise<readonly Listening[]> => {
    const api = await listen(host, host.log, bind, port ?? host.config.port);
    await host.announce(api.url);
    if (host.config.mcpHttpServer === null) return [api];
    const mcp = await host.openMcpListener();
    return [api, await listen(mcp, host.log, mcp.bind, mcp.port)];
  };
  return runProcess(() =>
    runUntilStopped({ ...flags, bind, mcpStdio, env: process.env }, openSockets, ([url = '', mcpUrl]) => {
      process.stdout.write(`portico listening on ${url}\n`);
      if (mcpUrl !== undefined) process.stdout.write(`portico mcp listening on ${mcpUrl}/mcp\n`);
      events.onReady?.(url);
    }),
  );
}

/** By absolute paths: a client that is started from a desktop finds no program by its name. */
function ownMcpStdio(): OwnCommand {
  return [process.execPath, fileURLToPath(new URL('./main.js', import.meta.resolve('@portico/mcp-stdio')))];
}
