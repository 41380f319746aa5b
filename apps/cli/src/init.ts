// `portico init`: writes a first configuration from the servers that the user's AI clients have already.
import { type Command, InvalidArgumentError } from 'commander';
import type { InitOptions } from './init/run-init.js';

/** Exits with 0 when the file is written, 1 when it is not, 2 for flags that do not go together. */
export function addInit(program: Command, finish: (exitCode: number) => void): void {
  program
    .command('init')
    .description('Write a first configuration from the servers that AI clients have')
    .option('--yes', 'ask nothing and take the defaults')
    .option('--from <client...>', 'take servers of these clients only')
    .option('--output <file>', 'where to write', 'mcp_servers.json')
    .option('--port <n>', 'port of the daemon', toPort, 9090)
    .option('--empty', 'take no servers')
    .option('--force', 'replace a file that is there')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExamples:\n  portico init\n  portico init --yes --from cursor claude-code --output portico.json',
    )
    .action(async (options: InitOptions) => {
      const { runInit } = await import('./init/run-init.js');
      finish(await runInit(options));
    });
}

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) {
    throw new InvalidArgumentError('expected a whole number from 1 to 65535');
  }
  return port;
}
