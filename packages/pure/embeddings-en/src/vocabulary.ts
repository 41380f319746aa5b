// Finds word pieces in the bytes of a model's file: a table of hashes beside them, in typed arrays, without a string per piece.
// Never changes after it is made.
import { MAX_WORD_CHARS } from './limits.js';

export interface Vocabulary {
  readonly size: number;
  /**
   * The pieces of a word: the longest that it begins with, then the longest that follows, and so on. Empty for a word that
   * cannot be put together of pieces.
   * @param word without unpaired surrogates
   */
  split(word: string): readonly number[];
}

const EMPTY = -1;
const NEWLINE = 10;
const HASH_SIGN = 35;
const FNV_OFFSET = 2_166_136_261;
const FNV_PRIME = 16_777_619;
/** `##`, with which a piece begins that continues a word. */
const CONTINUATION_BYTES = 2;
/** Where the hash of such a piece starts. */
const CONTINUED_OFFSET = step(step(FNV_OFFSET, HASH_SIGN), HASH_SIGN);
/** UTF-8 takes at most 3 bytes for a UTF-16 code unit. */
const MAX_WORD_BYTES = MAX_WORD_CHARS * 3;

/** @param text different pieces, in UTF-8, with a newline between each and the next; kept, so it must not change */
export function createVocabulary(text: Uint8Array): Vocabulary {
  const starts = startsOf(text);
  const size = starts.length - 1;
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(size * 2))).fill(EMPTY);
  const mask = slots.length - 1;
  const hashes = new Int32Array(size);
  let longest = 0;
  for (let piece = 0; piece < size; piece += 1) {
    const [start, end] = [starts[piece] ?? 0, (starts[piece + 1] ?? 0) - 1];
    longest = Math.max(longest, end - start);
    const hash = hashOf(text, start, end);
    hashes[piece] = hash;
    let slot = hash & mask;
    while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
    slots[slot] = piece;
  }
  const encode = createEncoder();

  const isPiece = (piece: number, word: Uint8Array, start: number, end: number): boolean => {
    const skipped = start === 0 ? 0 : CONTINUATION_BYTES;
    const from = starts[piece] ?? 0;
    const length = (starts[piece + 1] ?? 0) - 1 - from;
    if (length - skipped !== end - start) return false;
    for (let at = 0; at < skipped; at += 1) if (text[from + at] !== HASH_SIGN) return false;
    for (let at = start; at < end; at += 1) if (text[from + skipped + at - start] !== word[at]) return false;
    return true;
  };

  /** The piece that is these bytes of the word; `EMPTY` if there is none. */
  const find = (word: Uint8Array, start: number, end: number, hash: number): number => {
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const piece = slots[slot] ?? EMPTY;
      if (piece === EMPTY) return EMPTY;
      if (hashes[piece] === hash && isPiece(piece, word, start, end)) return piece;
    }
  };

  const prefixHashes = new Int32Array(MAX_WORD_BYTES + 1);
  /** Hashes of all that begins at `start` and ends at `limit` at the latest, by where it ends. Returns `limit`. */
  const hashAll = (word: Uint8Array, start: number, limit: number): number => {
    let hash = start === 0 ? FNV_OFFSET : CONTINUED_OFFSET;
    for (let at = start; at < limit; at += 1) {
      hash = step(hash, word[at]!); // below the length
      prefixHashes[at + 1] = hash;
    }
    return limit;
  };

  return {
    size,
    split(word) {
      if (word.length > MAX_WORD_CHARS) return [];
      const { bytes, length } = encode(word);
      const found: number[] = [];
      for (let start = 0; start < length; ) {
        // Longest first: nearly every word is a piece as a whole, and then it is looked up once.
        let end = hashAll(bytes, start, Math.min(length, start + longest));
        let piece = EMPTY;
        for (; end > start; end -= 1) {
          piece = find(bytes, start, end, prefixHashes[end]!); // hashed up to the first `end`
          if (piece !== EMPTY) break;
        }
        if (piece === EMPTY) return [];
        found.push(piece);
        start = end;
      }
      return found;
    },
  };
}

/** Where each piece starts, and where another one after the last would. */
function startsOf(text: Uint8Array): Uint32Array {
  let size = 1;
  for (let at = 0; at < text.length; at += 1) if (text[at] === NEWLINE) size += 1;
  const starts = new Uint32Array(size + 1);
  let next = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== NEWLINE) continue;
    starts[next] = at + 1;
    next += 1;
  }
  starts[next] = text.length + 1;
  return starts;
}

/** UTF-8 of words, each in the same array. */
function createEncoder(): (word: string) => { readonly bytes: Uint8Array; readonly length: number } {
  const bytes = new Uint8Array(MAX_WORD_BYTES);
  const encoder = new TextEncoder();
  return (word) => {
    for (let at = 0; at < word.length; at += 1) {
      const unit = word.charCodeAt(at);
      if (unit > 127) return { bytes, length: encoder.encodeInto(word, bytes).written };
      bytes[at] = unit;
    }
    return { bytes, length: word.length };
  };
}

/** FNV-1a, as a signed 32-bit number. */
function hashOf(text: Uint8Array, start: number, end: number): number {
  let hash = FNV_OFFSET;
  for (let at = start; at < end; at += 1) hash = step(hash, text[at] ?? 0);
  return hash;
}

function step(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, FNV_PRIME);
}
