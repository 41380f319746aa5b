// The hash of the first record of a log's file, which names its chain: it is read once, when a record is there.
import type { FileHandle } from 'node:fs/promises';
import { parseRecord } from '@portico/audit-chain';
import { readLines } from './read-lines.js';

/** @param size of what is kept, in bytes. The function that it gives rejects where the first line is no record */
export function createFirstHash(file: FileHandle, size: () => number): () => Promise<string> {
  let found: string | undefined;
  return async () => {
    found ??= await firstHash(file, size());
    return found;
  };
}

async function firstHash(file: FileHandle, end: number): Promise<string> {
  for await (const [first] of readLines(file, { start: 0, end })) {
    const record = first?.text == null ? undefined : parseRecord(first.text);
    if (record !== undefined) return record.hash;
    break;
  }
  throw new Error('the first line of the audit log is no record');
}
