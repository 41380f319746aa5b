// `portico daemon`, `portico mcp-stdio` and `portico mcp-http`: the same processes as under their own names.
import type { Command } from 'commander';
import { ownMcpStdio } from './own-command.js';

type Run = (argv: readonly string[]) => Promise<never>;

interface Service {
  readonly name: string;
  readonly description: string;
  /** Loaded when it is asked for: no other command needs it. */
  readonly load: () => Promise<Run>;
}

const services: readonly Service[] = [
  {
    name: 'daemon',
    description: 'Serve the HTTP facade',
    load: async () => {
      const { runDaemon } = await import('@portico/daemon/process');
      return (argv) => runDaemon(argv, { mcpStdio: ownMcpStdio() });
    },
  },
  {
    name: 'mcp-stdio',
    description: 'Serve one MCP client over stdin and stdout',
    load: async () => (await import('@portico/mcp-stdio/process')).runMcpStdio,
  },
  {
    name: 'mcp-http',
    description: 'Serve MCP clients over streamable HTTP',
    load: async () => (await import('@portico/mcp-http/process')).runMcpHttp,
  },
];

/** Each reads its own flags, `--help` included, and ends the process itself. */
export function addServices(program: Command): void {
  for (const { name, description, load } of services) {
    program
      .command(name)
      .description(description)
      .argument('[flags...]')
      .helpOption(false)
      .allowUnknownOption()
      .passThroughOptions()
      .action(async (argv: string[]) => (await load())([...flagsBefore(program), ...argv]));
  }
}

/** The flags before the command. The service itself refuses flags that it cannot use. */
function flagsBefore(program: Command): readonly string[] {
  return program.options.flatMap((option) => {
    const value: unknown = program.getOptionValue(option.attributeName());
    if (value === undefined || option.long == null || option.long === '--version') return [];
    return value === true ? [option.long] : [option.long, String(value)];
  });
}
