// Finds word pieces: a table of hashes over the vocabulary, in typed arrays, so that no string is made to look one up.
// Never changes after it is made.
import { MAX_WORD_CHARS } from './limits.js';

export interface Vocabulary {
  readonly size: number;
  /**
   * The pieces of a word: the longest that it begins with, then the longest that follows, and so on. Empty for a word that
   * cannot be put together of pieces.
   */
  split(word: string): readonly number[];
}

const EMPTY = -1;
const FNV_OFFSET = 2_166_136_261;
const FNV_PRIME = 16_777_619;
const CONTINUATION = '##';
/** Where the hash of a piece that continues a word starts. */
const CONTINUED_OFFSET = hashOf(CONTINUATION, FNV_OFFSET);

/** @param pieces different from each other; what begins with `##` continues a word */
export function createVocabulary(pieces: readonly string[]): Vocabulary {
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(pieces.length, 1) * 2))).fill(EMPTY);
  const mask = slots.length - 1;
  const hashes = new Int32Array(pieces.length);
  const longest = Math.min(Math.max(0, ...pieces.map((piece) => piece.length)), MAX_WORD_CHARS);
  for (const [at, piece] of pieces.entries()) {
    const hash = hashOf(piece, FNV_OFFSET);
    hashes[at] = hash;
    let slot = hash & mask;
    while (slots[slot] !== EMPTY) slot = (slot + 1) & mask;
    slots[slot] = at;
  }

  /** The piece that is these characters of the word; `EMPTY` where there is none. */
  const find = (word: string, start: number, end: number, hash: number): number => {
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = slots[slot] ?? EMPTY;
      if (at === EMPTY) return EMPTY;
      if (hashes[at] === hash && isPiece(pieces[at] ?? '', word, start, end)) return at;
    }
  };

  const longestAt = (word: string, start: number): { readonly piece: number; readonly end: number } => {
    const limit = Math.min(word.length, start + longest);
    let hash = start === 0 ? FNV_OFFSET : CONTINUED_OFFSET;
    let best = { piece: EMPTY, end: start };
    for (let end = start + 1; end <= limit; end += 1) {
      hash = step(hash, word.charCodeAt(end - 1));
      const piece = find(word, start, end, hash);
      if (piece !== EMPTY) best = { piece, end };
    }
    return best;
  };

  return {
    size: pieces.length,
    split(word) {
      if (word.length > MAX_WORD_CHARS) return [];
      const found: number[] = [];
      for (let start = 0; start < word.length; ) {
        const { piece, end } = longestAt(word, start);
        if (piece === EMPTY) return [];
        found.push(piece);
        start = end;
      }
      return found;
    },
  };
}

function isPiece(piece: string, word: string, start: number, end: number): boolean {
  const skipped = start === 0 ? 0 : CONTINUATION.length;
  if (piece.length - skipped !== end - start) return false;
  return (start === 0 || piece.startsWith(CONTINUATION)) && piece.endsWith(word.slice(start, end));
}

/** FNV-1a over code units, as a signed 32-bit number. */
function hashOf(text: string, from: number): number {
  let hash = from;
  for (let at = 0; at < text.length; at += 1) hash = step(hash, text.charCodeAt(at));
  return hash;
}

function step(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, FNV_PRIME);
}
