// The texts of lines whose places are known. Lines that stand beside one another are read together, some at a time.
import type { Place } from './block.js';
import type { LogBytes } from './log-bytes.js';
import { decodeStrictly } from './read-lines.js';
import { readBytes } from './tail.js';

/** Size of one read, unless one line alone is longer. */
const groupBytes = 256 * 1024;

/** One text for each place, in their order, which ascends; null for what is no UTF-8. */
export async function* readPlaces(file: LogBytes, places: readonly Place[]): AsyncGenerator<string | null> {
  for (let from = 0; from < places.length; ) {
    const to = endOfGroup(places, from);
    const start = places[from]?.start ?? 0;
    const bytes = await readBytes(file, start, places[to - 1]?.end ?? start);
    for (const place of places.slice(from, to)) {
      yield decodeStrictly(bytes.subarray(place.start - start, place.end - start));
    }
    from = to;
  }
}

function endOfGroup(places: readonly Place[], from: number): number {
  const start = places[from]?.start ?? 0;
  for (let to = from + 1; to < places.length; to++) {
    const place = places[to];
    const isNext = place !== undefined && place.start === (places[to - 1]?.end ?? 0) + 1;
    if (!isNext || place.end - start > groupBytes) return to;
  }
  return places.length;
}
