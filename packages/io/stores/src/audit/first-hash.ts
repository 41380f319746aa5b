// The hash of the first record of a log's file, which names its chain: it is read once, when a record is there.
import { parseRecord } from '@portico/audit-chain';
import type { LogBytes } from './log-bytes.js';
import { readLines } from './read-lines.js';

/**
 * @param size of what is kept, in bytes
 * @param pruned the hash that the log itself names, once its first records were removed
 * The function that it gives rejects where the first line is no record, and where nothing says that the first records were pruned
 */
export function createFirstHash(
  file: LogBytes,
  size: () => number,
  pruned: () => Promise<string | undefined>,
): () => Promise<string> {
  let found: string | undefined;
  return async () => {
    found ??= (file.first?.() ?? 0) === 0 ? await firstHash(file, size()) : await pruned();
    if (found === undefined) throw new Error('its first records are missing, and no record says that they were pruned');
    return found;
  };
}

async function firstHash(file: LogBytes, end: number): Promise<string> {
  for await (const [first] of readLines(file, { start: 0, end })) {
    const record = first?.text == null ? undefined : parseRecord(first.text);
    if (record !== undefined) return record.hash;
    break;
  }
  throw new Error('the first line of the audit log is no record');
}
