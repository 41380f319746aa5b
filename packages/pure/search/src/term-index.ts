// The postings of all segments by term, the counts that ranking needs, and the vocabulary beside them.
// Never edited: replacing a server gives a new one that shares every untouched segment.
import type { Steps } from '@portico/async';
import { changeMap, emptyMap, findIn, type LayeredMap } from './layered-map.js';
import { lengthFactor } from './ranking.js';
import type { Postings, Segment } from './segment.js';
import { changeVocabulary, emptyVocabulary, type Vocabulary } from './vocabulary.js';

/** One term across all segments. */
export interface Term {
  readonly documentCount: number;
  readonly postings: readonly Postings[];
}

export interface TermIndex {
  readonly segments: ReadonlyMap<string, Segment>;
  /** By stem. */
  readonly terms: LayeredMap<Term>;
  /** In how many segments a word is. */
  readonly wordCounts: LayeredMap<number>;
  readonly vocabulary: Vocabulary;
  /** Documents in all segments. They are numbered segment after segment, starting at the segment's base. */
  readonly size: number;
  readonly bases: ReadonlyMap<Segment, number>;
  /** By document number: the factor for its name weights and for its text weights. */
  readonly nameFactors: Float64Array;
  readonly textFactors: Float64Array;
}

export const emptyTermIndex: TermIndex = {
  segments: new Map(),
  terms: emptyMap,
  wordCounts: emptyMap,
  vocabulary: emptyVocabulary,
  size: 0,
  bases: new Map(),
  nameFactors: new Float64Array(0),
  textFactors: new Float64Array(0),
};

/** The index with these servers' segments in place of what it had for them; a segment without documents is left out. */
export function* changeSegments(index: TermIndex, segments: ReadonlyMap<string, Segment>): Steps<TermIndex> {
  const changes = [...segments].map(([server, now]) => ({ before: index.segments.get(server), now }));
  const next = new Map(index.segments);
  for (const [server, segment] of segments) {
    if (segment.documents.length === 0) next.delete(server);
    else next.set(server, segment);
  }
  yield;
  const terms = yield* changeMap(index.terms, postingsChanges(changes), changeTerm);
  yield;
  const more = yield* countWords(changes);
  yield;
  const wordCounts = yield* changeMap(index.wordCounts, more, (before = 0, count) => before + count || null);
  const missingIn = (counts: LayeredMap<number>) =>
    new Set([...more.keys()].filter((word) => findIn(counts, word) === undefined));
  yield;
  const gone = missingIn(wordCounts);
  yield;
  const vocabulary = yield* changeVocabulary(index.vocabulary, gone, missingIn(index.wordCounts));
  yield;
  return { segments: next, terms, wordCounts, vocabulary, ...numberDocuments(next) };
}

/** The segment of a server before the change, where it had one, and its segment now. */
interface Change {
  readonly before: Segment | undefined;
  readonly now: Segment;
}

/** The postings of a term in the old segment and in the new one; at least one of the two is present. */
interface PostingsChange {
  readonly before: Postings | undefined;
  readonly now: Postings | undefined;
}

function* postingsChanges(changes: readonly Change[]): Iterable<readonly [stem: string, PostingsChange]> {
  for (const { before, now } of changes) {
    for (const [stem, postings] of before?.postings ?? []) {
      yield [stem, { before: postings, now: now.postings.get(stem) }];
    }
    for (const [stem, postings] of now.postings) {
      if (before?.postings.has(stem) !== true) yield [stem, { before: undefined, now: postings }];
    }
  }
}

/** Null for a term that no document has any more. */
function changeTerm(term: Term | undefined, { before, now }: PostingsChange): Term | null {
  const postings = term?.postings.slice() ?? [];
  const at = before === undefined ? postings.length : postings.indexOf(before);
  if (now === undefined) postings.splice(at, 1);
  else postings[at] = now;
  if (postings.length === 0) return null;
  const more = (now?.positions.length ?? 0) - (before?.positions.length ?? 0);
  return { documentCount: (term?.documentCount ?? 0) + more, postings };
}

const changesInOneStep = 1024;

/** For each word whose number of segments changes, by how many. */
function* countWords(changes: readonly Change[]): Steps<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const add = (words: readonly string[], more: number) => {
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + more);
  };
  let done = 0;
  for (const [, { before, now }] of postingsChanges(changes)) {
    done += 1;
    if (done % changesInOneStep === 0) yield;
    const [had, has] = [before?.words ?? [], now?.words ?? []];
    if (had.length === 1 && has.length === 1 && had[0] === has[0]) continue; // as nearly all are
    add(had, -1);
    add(has, 1);
  }
  return counts;
}

function numberDocuments(
  segments: ReadonlyMap<string, Segment>,
): Pick<TermIndex, 'size' | 'bases' | 'nameFactors' | 'textFactors'> {
  const all = [...segments.values()];
  const bases = new Map<Segment, number>();
  let size = 0;
  for (const segment of all) {
    bases.set(segment, size);
    size += segment.documents.length;
  }
  const factors = (lengthsOf: (segment: Segment) => readonly number[]) => toLengthFactors(all.map(lengthsOf), size);
  return {
    size,
    bases,
    nameFactors: factors(({ nameLengths }) => nameLengths),
    textFactors: factors(({ textLengths }) => textLengths),
  };
}

/** Lengths are whole numbers, so the average does not depend on the order of the documents. */
function toLengthFactors(lengths: readonly (readonly number[])[], size: number): Float64Array {
  let total = 0;
  for (const some of lengths) for (const length of some) total += length;
  const average = size === 0 ? 0 : total / size;
  const factors = new Float64Array(size);
  let number = 0;
  for (const some of lengths) {
    for (const length of some) {
      factors[number] = lengthFactor(length, average);
      number += 1;
    }
  }
  return factors;
}
