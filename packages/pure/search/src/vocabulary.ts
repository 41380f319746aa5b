// The words of all segments, sorted, for what an exact lookup cannot answer: prefixes and typos.
// Never edited: a changed vocabulary is a new one.
import type { Steps } from '@portico/async';
import { isOneEditApart } from './edit-distance.js';

/** Distinct unstemmed words in code unit order. */
export interface Vocabulary {
  readonly words: readonly string[];
  /** For each word a bit per letter in it: these alone rule out most words that are more than one slip away. */
  readonly letterSets: Uint32Array;
}

export const emptyVocabulary: Vocabulary = { words: [], letterSets: new Uint32Array(0) };

/** The vocabulary without the words that are `gone` and with the `fresh` ones, which must be new to it. */
export function* changeVocabulary(
  vocabulary: Vocabulary,
  gone: ReadonlySet<string>,
  fresh: ReadonlySet<string>,
): Steps<Vocabulary> {
  if (gone.size === 0 && fresh.size === 0) return vocabulary;
  const kept = gone.size === 0 ? vocabulary.words : vocabulary.words.filter((word) => !gone.has(word));
  const sorted = [...fresh].sort(compareStrings);
  yield;
  const words = mergeSorted(kept, sorted);
  yield;
  const letterSets = new Uint32Array(words.length);
  for (let at = 0; at < words.length; at += 1) {
    letterSets[at] = toLetterSet(words[at]!); // below the length
    if (at % wordsInOneStep === wordsInOneStep - 1) yield;
  }
  return { words, letterSets };
}

const wordsInOneStep = 4096;

/** Up to `limit` words that begin with `prefix`, in order. */
export function wordsWithPrefix(vocabulary: Vocabulary, prefix: string, limit: number): readonly string[] {
  const start = lowerBound(vocabulary.words, prefix);
  let end = start;
  while (end - start < limit && vocabulary.words[end]?.startsWith(prefix)) end += 1;
  return vocabulary.words.slice(start, end);
}

/** Up to `limit` words that are one typing slip away from `word`, in order. */
export function wordsOneEditFrom(vocabulary: Vocabulary, word: string, limit: number): readonly string[] {
  const found: string[] = [];
  const letters = toLetterSet(word);
  const { words, letterSets } = vocabulary;
  for (let at = 0; at < words.length && found.length < limit; at += 1) {
    // The two arrays are parallel.
    if (differInMoreThanTwo(letters, letterSets[at]!)) continue;
    const candidate = words[at]!;
    if (isOneEditApart(word, candidate)) found.push(candidate);
  }
  return found;
}

/** Code unit order, the order of `<`: the same on every machine, in every locale. */
export function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Letters that share a bit make two words look closer than they are, never farther. */
function toLetterSet(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at += 1) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters >>> 0;
}

/** One slip takes at most one letter out of a set and puts at most one in. */
function differInMoreThanTwo(a: number, b: number): boolean {
  let difference = a ^ b;
  difference &= difference - 1;
  difference &= difference - 1;
  return difference !== 0;
}

function lowerBound(words: readonly string[], target: string, from = 0): number {
  let low = from;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // `middle` is below `high`, which is at most the length.
    if (words[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Merges two sorted lists. The words of `left` between two words of `right` are copied without a comparison. */
function mergeSorted(left: readonly string[], right: readonly string[]): string[] {
  const merged: string[] = [];
  let from = 0;
  for (const word of right) {
    const place = lowerBound(left, word, from);
    for (; from < place; from += 1) merged.push(left[from]!); // below the length
    merged.push(word);
  }
  for (; from < left.length; from += 1) merged.push(left[from]!);
  return merged;
}
