// Portico as an MCP server over stdio, for the configuration of an AI client.
import { ownEnvironment, parseFlags, runProcess, serveStdio } from '@portico/host';

const program = {
  name: 'portico-mcp-stdio',
  description: 'Serve one MCP client over stdin and stdout.',
  flags: { profile: 'the profile to serve (default: the whole catalog)' },
};

/**
 * Runs until stdin ends or a stop signal comes, then ends the process: 0 then, 2 when flags, configuration, environment,
 * state directory or audit file cannot be used, 1 after a defect.
 * @param argv arguments behind the program's name
 */
export async function runMcpStdio(argv: readonly string[]): Promise<never> {
  const { profile = null, port: _port, bind: _bind, ...flags } = parseFlags(program, argv);
  return runProcess(() => serveStdio({ ...flags, profile, ...ownEnvironment() }));
}
