// `portico storage migrate`: copies the state of a daemon from SQLite to the PostgreSQL database of its configuration.
import type { MigratedStorage } from '@portico/host';
import type { Command } from 'commander';
import { addGroup, addOfflineCommand, type Shell } from '../command.js';
import { namedConfigFile } from '../connection-options.js';

interface Options {
  readonly config?: string;
  readonly from?: string;
}

/** Exits with 0 when all of it was copied, 2 when something it was given cannot be used. Then nothing was copied. */
export function addStorage(program: Command, shell: Shell): void {
  addOfflineCommand<[], Options>(addGroup(program, 'storage', 'Where state is kept'), shell, {
    usage: 'migrate',
    summary: 'Copy all state from SQLite to the empty PostgreSQL database of storage.url, while the daemon is stopped',
    examples: ['storage migrate --config mcp_servers.json'],
    flags: (command) =>
      command
        .option('--config <file>', 'configuration file (default: mcp_servers.json)')
        .option('--from <dir>', 'state directory (default: the one of the configuration file)'),
    async run(output, _args, { config: given, from }) {
      const { migrateStorage } = await import('@portico/host');
      const source = from === undefined ? {} : { from };
      const config = namedConfigFile({ config: given });
      const moved = await migrateStorage({ configFile: config, ...source, env: process.env });
      output.item(moved, () => toText(moved));
      return 0;
    },
  });
}

function toText({ from, to, tables }: MigratedStorage): string {
  const width = Math.max(...tables.map(({ table }) => table.length));
  const lines = tables.map(({ table, rows }) => `  ${table.padEnd(width)}  ${rows}`);
  return [
    `from ${from}`,
    `to   ${to}`,
    ...lines,
    'All rows are copied and counted. The directory is left as it was.',
  ].join('\n');
}
