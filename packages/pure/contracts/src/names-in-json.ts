// How many members of a JSON text are new to the engine. It keeps a table of all names and one of all shapes that objects
// have; a new entry takes 1 to 3 µs, where a member that is like those before it takes less than a tenth of that. So 60,000
// rows of one shape are read in 50 ms, and as many different names as those have members in 0.6 s.
import { endOfString } from './json.js';

/** An object with more members than this is a table of its own, into which each member is put. */
const largeObject = 500;
/** A longer name counts as a new one each time. */
const longestName = 256;
/** Size of a table of marks, one bit for each hash: 128 KiB. */
const markBits = 20;

/** Seed of the hashes. The author of a text must not know it, or could choose names with the same hash. */
const seed = Math.floor(Math.random() * 2 ** 31);

const quote = 0x22;
const colon = 0x3a;

/**
 * Whether more members than that are new: no object before has had this name behind the same names. A name that is there in
 * another order, or in an object with more than 500 members, counts again. Two members in a million may be taken for one.
 * @param text of JSON that nests no deeper than `levels`
 */
export function hasMoreNames(text: string, names: number, levels: number): boolean {
  const marks = new Uint32Array(2 ** markBits / 32);
  const hashes = new Int32Array(levels + 2); // of the names so far in the objects around
  const members = new Int32Array(levels + 2);
  let depth = 0;
  let found = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === quote) {
      const from = i + 1;
      i = endOfString(text, from);
      if (!isName(text, i + 1)) continue;
      const nth = (members[depth] ?? 0) + 1;
      const hash = i - from > longestName ? undefined : hashOf(text, from, i, (hashes[depth] ?? 0) ^ seed);
      members[depth] = nth;
      hashes[depth] = hash ?? nth;
      if (hash === undefined || nth > largeObject || isNew(marks, hash)) found += 1;
      if (found > names) return true;
    } else if (unit === 0x7b) {
      depth += 1;
      hashes[depth] = 0;
      members[depth] = 0;
    } else if (unit === 0x7d) depth -= 1;
  }
  return false;
}

function isName(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return text.charCodeAt(at) === colon;
}

function hashOf(text: string, from: number, to: number, start: number): number {
  let hash = start | 1;
  for (let at = from; at < to; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

/** Marks a hash; whether none like it was there. */
function isNew(marks: Uint32Array, hash: number): boolean {
  const mark = hash >>> (32 - markBits);
  const bit = 1 << (mark & 31);
  const word = marks[mark >>> 5] ?? 0;
  marks[mark >>> 5] = word | bit;
  return (word & bit) === 0;
}
