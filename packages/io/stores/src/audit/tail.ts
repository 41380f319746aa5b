// Where a log ends, found from its end: whatever its length, only the last lines are read.
// Tells what a crash has left from what somebody has written. It changes nothing.
import type { FileHandle } from 'node:fs/promises';
import { genesisHead, type Head, parseRecord } from '@portico/audit-chain';
import { decodeStrictly, maxLineBytes } from './read-lines.js';

export type Tail =
  /** `end`: the byte after the last record; what follows it was left by a crash. */
  | { readonly status: 'whole'; readonly head: Head; readonly end: number }
  /** The line at `offset` is no record, and nothing that a crash leaves. */
  | { readonly status: 'edited'; readonly offset: number };

const lineFeed = 0x0a;
const chunkBytes = 64 * 1024;

export async function readTail(file: FileHandle, size: number): Promise<Tail> {
  let end = await afterLineFeed(file, size);
  while (end > 0) {
    const start = await afterLineFeed(file, end - 1);
    const bytes = end - start > maxLineBytes ? undefined : await readBytes(file, start, end - 1);
    const head = bytes && headOf(bytes);
    if (head !== undefined) return { status: 'whole', head, end };
    if (bytes === undefined || isText(bytes)) return { status: 'edited', offset: start };
    end = start;
  }
  return { status: 'whole', head: genesisHead, end: 0 };
}

/** The head that a record gives whose line ends, with its line feed, at a place of the file. */
export async function headAt(file: FileHandle, end: number): Promise<Head | undefined> {
  if (end === 0) return genesisHead;
  const start = await afterLineFeed(file, end - 1);
  if (end - start > maxLineBytes) return undefined;
  return headOf(await readBytes(file, start, end - 1));
}

function headOf(bytes: Uint8Array): Head | undefined {
  const text = decodeStrictly(bytes);
  const record = text === null ? undefined : parseRecord(text);
  return record && { seq: record.seq, hash: record.hash };
}

/**
 * Whether somebody may have written it as a line. The blocks of a file that were not written when the power went are
 * zeros, or hold what was on the disk before; control characters never stand in a line of the log.
 */
function isText(bytes: Uint8Array): boolean {
  return !bytes.some((byte) => byte < 0x20) && decodeStrictly(bytes) !== null;
}

/** The place after the last line feed before a place; 0 where there is none. */
async function afterLineFeed(file: FileHandle, before: number): Promise<number> {
  for (let end = before; end > 0; end -= chunkBytes) {
    const start = Math.max(0, end - chunkBytes);
    const found = (await readBytes(file, start, end)).lastIndexOf(lineFeed);
    if (found >= 0) return start + found + 1;
  }
  return 0;
}

export async function readBytes(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
