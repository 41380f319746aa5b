// `portico audit export`: all records that match, oldest first, in a file or on stdout.
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { CommandFailure } from '../failures.js';
import { addFilterFlags, type FilterOptions, toFilters } from './filters.js';
import { requireKeptLog } from './kept-log.js';

interface Options extends FilterOptions {
  readonly format?: 'jsonl' | 'csv';
  readonly output?: string;
}

export function addAuditExport(group: Command, shell: Shell): void {
  addCommand<[], Options>(group, shell, {
    usage: 'export',
    summary: 'Export records, oldest first',
    examples: ['audit export > audit.jsonl', 'audit export --format csv --since 2026-01-01T00:00:00Z -o audit.csv'],
    flags: (command) =>
      addFilterFlags(command)
        .addOption(
          new Option('--format <format>', 'jsonl (default), as the log has them, or csv').choices(['jsonl', 'csv']),
        )
        .option('-o, --output <file>', 'write them there, readable by you only'),
    reach: 'state',
    async run(session, _args, options) {
      const { client, output, stopped } = session;
      await requireKeptLog(session);
      const records = client.exportAudit({ ...toFilters(options), format: options.format }, { signal: stopped });
      if (options.output === undefined) {
        for await (const text of records) output.raw(text);
        return undefined;
      }
      const clear = output.progress(`exporting to ${options.output}`);
      await writeOwn(options.output, records)
        .catch((error: NodeJS.ErrnoException) => {
          throw error.syscall === undefined ? error : new CommandFailure(`${options.output}: ${error.message}`);
        })
        .finally(clear);
      return undefined;
    },
  });
}

/** The mode of a new file counts for one that is there as well. Pipes and devices keep theirs. */
export async function writeOwn(file: string, records: AsyncIterable<string | Uint8Array>): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    if ((await handle.stat()).isFile()) await handle.chmod(0o600);
    await pipeline(records, handle.createWriteStream());
  } finally {
    await handle.close();
  }
}
