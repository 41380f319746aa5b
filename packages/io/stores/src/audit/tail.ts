// Finds the end of a log from its end: only the last lines are read, for any length. Distinguishes the effects of a
// crash (the beginning of a record, and zeros of blocks that were not written) from edits. It changes nothing.
import { type AuditRecord, beginsLikeLine, genesisHead, type Head, parseRecord } from '@portico/audit-chain';
import type { LogBytes } from './log-bytes.js';
import { decodeStrictly, maxLineBytes } from './read-lines.js';

export type Tail =
  /** `end`: the byte after the last record; what follows it was left by a crash. */
  | { readonly status: 'whole'; readonly head: Head; readonly end: number }
  /** The line at `offset` is no record, and nothing that a crash leaves. */
  | { readonly status: 'edited'; readonly offset: number };

const lineFeed = 0x0a;
const chunkBytes = 64 * 1024;

export async function readTail(file: LogBytes, size: number): Promise<Tail> {
  const first = file.first?.() ?? 0;
  let end = await afterLineFeed(file, size);
  const rest = await readBytes(file, end, Math.min(size, end + longestBeginning));
  while (end > first) {
    const start = await afterLineFeed(file, end - 1);
    const bytes = end - start > maxLineBytes ? undefined : await readBytes(file, start, end - 1);
    const head = bytes && headOf(bytes);
    if (head !== undefined) return { status: 'whole', head, end };
    if (bytes === undefined || !bytes.includes(0)) return { status: 'edited', offset: start };
    end = start;
  }
  // Without a record, the content must be a remainder of the service's own first write, and not a foreign file.
  return size === first || (rest.length > 0 && isCutOff(rest))
    ? { status: 'whole', head: genesisHead, end: first }
    : { status: 'edited', offset: first };
}

/** The head that a record gives whose line ends, with its line feed, at a place of the file. */
export async function headAt(file: LogBytes, end: number): Promise<Head | undefined> {
  if (end === 0) return genesisHead;
  const record = await recordAt(file, end);
  return record && { seq: record.seq, hash: record.hash };
}

/** The record whose line ends, with its line feed, at a place of the log. */
export async function recordAt(file: LogBytes, end: number): Promise<AuditRecord | undefined> {
  const start = await afterLineFeed(file, end - 1);
  if (end - start > maxLineBytes) return undefined;
  return recordOf(await readBytes(file, start, end - 1));
}

function recordOf(bytes: Uint8Array): AuditRecord | undefined {
  const text = decodeStrictly(bytes);
  return text === null ? undefined : parseRecord(text);
}

function headOf(bytes: Uint8Array): Head | undefined {
  const record = recordOf(bytes);
  return record && { seq: record.seq, hash: record.hash };
}

/** Enough to recognize the beginning of a record. */
const longestBeginning = 64;

/** Whether it may be what is left of the first write: the beginning of a record, or blocks that were not written (zeros). */
function isCutOff(beginning: Uint8Array): boolean {
  return beginning.every((byte) => byte === 0) || beginsLikeLine(Buffer.from(beginning).toString('latin1'));
}

/** The place after the last line feed before a place; where there is none, that where its file begins. */
async function afterLineFeed(file: LogBytes, before: number): Promise<number> {
  const first = file.startOf?.(before) ?? 0;
  for (let end = before; end > first; end -= chunkBytes) {
    const start = Math.max(first, end - chunkBytes);
    const found = (await readBytes(file, start, end)).lastIndexOf(lineFeed);
    if (found >= 0) return start + found + 1;
  }
  return first;
}

export async function readBytes(file: LogBytes, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
