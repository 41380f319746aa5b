// The MCP HTTP listener as a process of its own: flags, a host on one socket, and everything closed again.
import { listen, parseFlags, runProcess, serveUntil, stopSignal } from '@portico/host';

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
  const { port, bind, profile, ...flags } = parseFlags(program, argv);
  const overrides = {
    ...(port === undefined ? {} : { port }),
    ...(bind === undefined ? {} : { bind }),
    ...(profile === undefined ? {} : { profile }),
  };
  return runProcess(() =>
    serveUntil(
      stopSignal(),
      { ...flags, bind: '127.0.0.1', env: process.env },
      async (host) => {
        const mcp = await host.openMcpListener(overrides);
        return [await listen(mcp, host.log, mcp.bind, mcp.port)];
      },
      ([url]) => process.stdout.write(`portico mcp listening on ${url}/mcp\n`),
    ),
  );
}
