// The MCP HTTP listener as a process: flags, signals, a ready line on stdout and an exit code.
import { ownEnvironment, parseFlags, runProcess, stopSignal } from '@portico/host';
import { serveMcpHttp } from './serve-mcp-http.js';

const program = {
  name: 'portico-mcp-http',
  description: 'Serve MCP clients over streamable HTTP.',
  flags: {
    port: 'port to listen on, 0 for any free one (default: the configured one, else 9191)',
    bind: 'address to bind to; beyond loopback needs rbac or an authToken (default: the configured one, else 127.0.0.1)',
    profile: 'the only profile to serve (default: the configured one, else that of each request)',
  },
};

/**
 * Runs until SIGTERM or SIGINT, then ends the process: 0 after a clean stop, 2 when flags, configuration, environment,
 * state directory, audit file or port cannot be used, 1 after a defect.
 * @param argv arguments behind the program's name
 */
export async function runMcpHttp(argv: readonly string[]): Promise<never> {
  const flags = parseFlags(program, argv);
  return runProcess(() =>
    serveMcpHttp(stopSignal(), {
      ...flags,
      ...ownEnvironment(),
      ownsProcess: true,
      onReady: (url) => process.stdout.write(`portico mcp listening on ${url}\n`),
    }),
  );
}
