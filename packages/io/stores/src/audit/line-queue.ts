// The lines that wait to be written, in their order, and the first of them as one run of bytes.
import type { Head, Sealed } from '@portico/audit-chain';
import type { KeptRecord } from './record-index.js';

export interface Batch {
  readonly bytes: Uint8Array;
  /** What it holds, and where each record will stand. */
  readonly records: readonly KeptRecord[];
  /** Of its last record. */
  readonly head: Head;
}

export interface LineQueue {
  push(sealed: Sealed): void;
  /** Whether fewer lines wait than may. */
  hasRoom(): boolean;
  length(): number;
  /**
   * The first lines; none is taken out. There must be one. Its bytes hold until the next batch.
   * @param start where in the file they will begin
   */
  batch(start: number): Batch;
  /** Takes the first lines out. */
  drop(count: number): void;
}

/** Text that may wait, in characters, whatever the number of lines. */
const maxCharacters = 64 * 1024 * 1024;
/** What is written at once, in characters, unless one line alone is longer. */
const maxBatchCharacters = 8 * 1024 * 1024;
/** What most batches fit into. */
const scratchBytes = 512 * 1024;

export function createLineQueue(capacity: number): LineQueue {
  const scratch = Buffer.allocUnsafeSlow(scratchBytes);
  const lines: Sealed[] = [];
  let characters = 0;
  return {
    push(sealed) {
      lines.push(sealed);
      characters += sealed.line.length;
    },
    hasRoom: () => lines.length < capacity && characters < maxCharacters,
    length: () => lines.length,
    batch: (start) => toBatch(firstOf(lines), start, scratch),
    drop(count) {
      for (const { line } of lines.splice(0, count)) characters -= line.length;
    },
  };
}

function firstOf(lines: readonly Sealed[]): readonly Sealed[] {
  let characters = 0;
  const end = lines.findIndex(({ line }, i) => {
    characters += line.length;
    return i > 0 && characters > maxBatchCharacters;
  });
  return end < 0 ? lines.slice() : lines.slice(0, end);
}

function toBatch(sealed: readonly Sealed[], start: number, scratch: Buffer): Batch {
  const last = sealed.at(-1);
  if (last === undefined) throw new RangeError('a batch has at least one line');
  let end = start;
  const records = sealed.map(({ record, line }) => {
    end += Buffer.byteLength(line) + 1;
    return { record, end };
  });
  const text = `${sealed.map(({ line }) => line).join('\n')}\n`;
  return { bytes: encode(text, end - start, scratch), records, head: last.head };
}

/** A buffer for each batch would have the garbage collector come by more often than all that is in it. */
function encode(text: string, length: number, scratch: Buffer): Uint8Array {
  if (length > scratch.length) return Buffer.from(text);
  scratch.write(text);
  return scratch.subarray(0, length);
}
