// The postings of all segments by term, the counts that ranking needs, and the vocabulary beside them.
// Never edited: replacing a server gives a new one that shares every untouched segment.
import { lengthFactor } from './ranking.js';
import type { Postings, Segment } from './segment.js';
import type { Steps } from './steps.js';
import { changeVocabulary, emptyVocabulary, type Vocabulary } from './vocabulary.js';

/** One term across all segments. */
export interface Term {
  readonly documentCount: number;
  readonly postings: readonly Postings[];
}

export interface TermIndex {
  readonly segments: ReadonlyMap<string, Segment>;
  readonly terms: ReadonlyMap<string, Term>;
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
  terms: new Map(),
  vocabulary: emptyVocabulary,
  size: 0,
  bases: new Map(),
  nameFactors: new Float64Array(0),
  textFactors: new Float64Array(0),
};

/** The index with these servers' segments in place of what it had for them; a segment without documents is left out. */
export function* changeSegments(index: TermIndex, changes: ReadonlyMap<string, Segment>): Steps<TermIndex> {
  const segments = new Map(index.segments);
  const removed = new Set<Segment>();
  for (const [server, segment] of changes) {
    const previous = segments.get(server);
    if (previous !== undefined) removed.add(previous);
    if (segment.documents.length === 0) segments.delete(server);
    else segments.set(server, segment);
  }
  yield;
  const added = [...changes.values()];
  const terms = yield* changeTerms(index.terms, removed, added);
  yield;
  const gone = wordsMissing(removed, terms);
  yield;
  const fresh = wordsMissing(added, index.terms);
  yield;
  const vocabulary = changeVocabulary(index.vocabulary, gone, fresh);
  yield;
  return { segments, terms, vocabulary, ...numberDocuments(segments) };
}

function* changeTerms(
  terms: ReadonlyMap<string, Term>,
  removed: ReadonlySet<Segment>,
  added: readonly Segment[],
): Steps<ReadonlyMap<string, Term>> {
  const changed = new Map<string, Postings[]>();
  const changedPostings = (stem: string): Postings[] => {
    const found = changed.get(stem);
    if (found !== undefined) return found;
    const kept = (terms.get(stem)?.postings ?? []).filter((postings) => !removed.has(postings.segment));
    changed.set(stem, kept);
    return kept;
  };
  for (const segment of removed) {
    for (const stem of segment.postings.keys()) changedPostings(stem);
  }
  for (const segment of added) {
    for (const [stem, postings] of segment.postings) changedPostings(stem).push(postings);
  }
  yield;
  const next = new Map(terms);
  for (const [stem, postings] of changed) {
    if (postings.length === 0) next.delete(stem);
    else next.set(stem, { documentCount: postings.reduce((sum, one) => sum + one.positions.length, 0), postings });
  }
  return next;
}

/** The words of these segments that the terms do not have. */
function wordsMissing(segments: Iterable<Segment>, terms: ReadonlyMap<string, Term>): ReadonlySet<string> {
  const missing = new Set<string>();
  for (const segment of segments) {
    for (const [stem, { words }] of segment.postings) {
      const known = terms.get(stem)?.postings ?? [];
      for (const word of words) {
        if (!known.some((postings) => postings.words.includes(word))) missing.add(word);
      }
    }
  }
  return missing;
}

function numberDocuments(
  segments: ReadonlyMap<string, Segment>,
): Pick<TermIndex, 'size' | 'bases' | 'nameFactors' | 'textFactors'> {
  const bases = new Map<Segment, number>();
  const nameLengths: number[] = [];
  const textLengths: number[] = [];
  for (const segment of segments.values()) {
    bases.set(segment, nameLengths.length);
    for (const length of segment.nameLengths) nameLengths.push(length);
    for (const length of segment.textLengths) textLengths.push(length);
  }
  return {
    size: nameLengths.length,
    bases,
    nameFactors: toLengthFactors(nameLengths),
    textFactors: toLengthFactors(textLengths),
  };
}

/** Lengths are whole numbers, so the average does not depend on the order of the documents. */
function toLengthFactors(lengths: readonly number[]): Float64Array {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const average = lengths.length === 0 ? 0 : total / lengths.length;
  return Float64Array.from(lengths, (length) => lengthFactor(length, average));
}
