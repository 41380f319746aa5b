// The texts of lines whose ranges are known. Lines that stand beside one another are read together, some at a time.
import type { ByteRange } from './block.js';
import type { LogBytes } from './log-bytes.js';
import { decodeStrictly } from './read-lines.js';
import { readBytes } from './tail.js';

/** Size of one read, unless one line alone is longer. */
const groupBytes = 256 * 1024;

/** One text for each range, in their order, which ascends; null for what is no UTF-8. */
export async function* readRanges(file: LogBytes, ranges: readonly ByteRange[]): AsyncGenerator<string | null> {
  for (let from = 0; from < ranges.length; ) {
    const to = endOfGroup(ranges, from);
    const start = ranges[from]?.start ?? 0;
    const bytes = await readBytes(file, start, ranges[to - 1]?.end ?? start);
    for (const range of ranges.slice(from, to)) {
      yield decodeStrictly(bytes.subarray(range.start - start, range.end - start));
    }
    from = to;
  }
}

function endOfGroup(ranges: readonly ByteRange[], from: number): number {
  const start = ranges[from]?.start ?? 0;
  for (let to = from + 1; to < ranges.length; to++) {
    const range = ranges[to];
    const isNext = range !== undefined && range.start === (ranges[to - 1]?.end ?? 0) + 1;
    if (!isNext || range.end - start > groupBytes) return to;
  }
  return ranges.length;
}
