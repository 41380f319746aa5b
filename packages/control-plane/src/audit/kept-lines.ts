// Lines that are kept in memory as bytes, in blocks: as objects or texts, thousands of them would be copied with each
// collection of garbage until they are old, and each call adds one.

const blockBytes = 256 * 1024;
/** Of UTF-8 for one character of UTF-16. */
const bytesPerCharacter = 3;

/** What was kept at a moment: it stays as it is while lines come and go. */
export interface LinesThen {
  /** Number of the oldest that is kept. */
  readonly first: number;
  /** Number that the next line will have. */
  readonly next: number;
  /** @param number of a line that is kept */
  at(number: number): string;
  /** Its length in UTF-8. */
  bytesOf(number: number): number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Lines one after the other: line n is from `ends[n - 1]` to `ends[n]`. */
interface Block {
  readonly bytes: Uint8Array;
  readonly ends: number[];
}

/** Lines by their number, which counts from 0 over all that were ever added. */
export class KeptLines implements LinesThen {
  readonly #blocks: Block[];
  /** Number of the first line of each block. */
  readonly #firsts: number[];
  first = 0;
  next = 0;
  /** In UTF-8, of all that are kept. */
  bytes = 0;

  /** @param of lines to begin with, which are shared: each goes on by itself */
  constructor(of?: KeptLines) {
    this.#blocks = of === undefined ? [] : [...of.#blocks];
    this.#firsts = of === undefined ? [] : [...of.#firsts];
    if (of === undefined) return;
    this.first = of.first;
    this.next = of.next;
    this.bytes = of.bytes;
  }

  now(): LinesThen {
    return new KeptLines(this);
  }

  add(line: string): void {
    const { bytes, ends } = this.#blockFor(line.length * bytesPerCharacter);
    const start = ends.at(-1) ?? 0;
    const { written } = encoder.encodeInto(line, bytes.subarray(start));
    ends.push(start + written);
    this.next += 1;
    this.bytes += written;
  }

  dropFirst(): void {
    this.bytes -= this.bytesOf(this.first);
    this.first += 1;
    if (this.#firsts[1] !== this.first) return;
    this.#blocks.shift();
    this.#firsts.shift();
  }

  at(number: number): string {
    const { bytes, start, end } = this.#find(number);
    return decoder.decode(bytes.subarray(start, end));
  }

  bytesOf(number: number): number {
    const { start, end } = this.#find(number);
    return end - start;
  }

  #blockFor(room: number): Block {
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.bytes.length - (last.ends.at(-1) ?? 0) >= room) return last;
    const block = { bytes: new Uint8Array(Math.max(blockBytes, room)), ends: [] };
    this.#blocks.push(block);
    this.#firsts.push(this.next);
    return block;
  }

  #find(number: number): { readonly bytes: Uint8Array; readonly start: number; readonly end: number } {
    const at = this.#firsts.findLastIndex((first) => first <= number);
    const block = this.#blocks[at];
    const index = number - (this.#firsts[at] ?? 0);
    const end = block?.ends[index];
    if (block === undefined || end === undefined) throw new RangeError(`no line ${number} is kept`);
    return { bytes: block.bytes, start: block.ends[index - 1] ?? 0, end };
  }
}
