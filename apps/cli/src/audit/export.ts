// `portico audit export`: all records that match, oldest first, in a file or on stdout. Beside a file of the whole log it
// leaves the signed checkpoints, so that the file can be verified offline with the public key.
import { existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { CommandFailure } from '../failures.js';
import { addFilterFlags, type FilterOptions, toFilters } from './filters.js';
import { requireKeptLog } from './kept-log.js';

interface Options extends FilterOptions {
  readonly format?: 'jsonl' | 'csv' | 'checkpoints';
  readonly output?: string;
}

export function addAuditExport(group: Command, shell: Shell): void {
  addCommand<[], Options>(group, shell, {
    usage: 'export',
    summary: 'Export records, oldest first',
    examples: ['audit export > audit.jsonl', 'audit export --format csv --since 7d -o audit.csv'],
    flags: (command) =>
      addFilterFlags(command)
        .addOption(
          new Option(
            '--format <format>',
            'jsonl (default), as the log has them, csv, or checkpoints: what was signed of the log',
          ).choices(['jsonl', 'csv', 'checkpoints']),
        )
        .option(
          '-o, --output <file>',
          'write them there, readable by you only; without filters, jsonl has its checkpoints in FILE.checkpoints',
        ),
    reach: 'state',
    async run(session, _args, options) {
      const { client, output, stopped } = session;
      await requireKeptLog(session);
      const { output: file, format } = options;
      const filters = toFilters(options);
      // Before the records: no checkpoint that is signed in between names a record that is not among them.
      const isWhole = (format ?? 'jsonl') === 'jsonl' && Object.values(filters).every((filter) => filter === undefined);
      const checkpoints =
        isWhole && file !== undefined
          ? await collect(client.exportAudit({ format: 'checkpoints' }, { signal: stopped }))
          : [];
      const records = client.exportAudit({ ...filters, format }, { signal: stopped });
      if (file === undefined) {
        for await (const text of records) output.raw(text);
        return undefined;
      }
      const clear = output.progress(`exporting to ${file}`);
      await writeNamed(file, records)
        .then(() => keepCheckpoints(file, checkpoints))
        .finally(clear);
      return undefined;
    },
  });
}

async function collect(texts: AsyncIterable<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const text of texts) found.push(text);
  return found;
}

/**
 * Writes the signed checkpoints beside the exported file, not for a pipe or a device. Checkpoints of an earlier export
 * to the same file are removed, because they cover another period of the log.
 */
async function keepCheckpoints(file: string, checkpoints: readonly string[]): Promise<void> {
  if (!(await stat(file)).isFile()) return;
  const beside = `${file}.checkpoints`;
  if (checkpoints.length > 0 || existsSync(beside)) await writeNamed(beside, toAsync(checkpoints));
}

async function* toAsync(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts;
}

async function writeNamed(file: string, texts: AsyncIterable<string | Uint8Array>): Promise<void> {
  await writeOwn(file, texts).catch((error: NodeJS.ErrnoException) => {
    throw error.syscall === undefined ? error : new CommandFailure(`${file}: ${error.message}`);
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
