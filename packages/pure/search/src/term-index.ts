// The segments of all servers, what ranking needs to know of their documents, and the vocabulary of their words.
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
  vocabulary: emptyVocabulary,
  size: 0,
  bases: new Map(),
  nameFactors: new Float64Array(0),
  textFactors: new Float64Array(0),
};

/**
 * Undefined for a term that no document has. Put together when a query has it: kept for all terms, it would have to be
 * renewed for all of them with every server.
 */
export function findTerm({ segments }: TermIndex, stem: string): Term | undefined {
  const postings: Postings[] = [];
  let documentCount = 0;
  for (const segment of segments.values()) {
    const found = segment.postings.get(stem);
    if (found === undefined) continue;
    postings.push(found);
    documentCount += found.positions.length;
  }
  return documentCount === 0 ? undefined : { documentCount, postings };
}

export function hasTerm({ segments }: TermIndex, stem: string): boolean {
  for (const segment of segments.values()) if (segment.postings.has(stem)) return true;
  return false;
}

/** The index with these servers' segments in place of what it had for them; a segment without documents is left out. */
export function* changeSegments(index: TermIndex, changes: ReadonlyMap<string, Segment>): Steps<TermIndex> {
  const segments = new Map(index.segments);
  const removed: Segment[] = [];
  for (const [server, segment] of changes) {
    const previous = segments.get(server);
    if (previous !== undefined) removed.push(previous);
    if (segment.documents.length === 0) segments.delete(server);
    else segments.set(server, segment);
  }
  yield;
  // What a server had before and what it has now share most words, so each is looked through before the others.
  const added = [...changes.values()];
  const gone = yield* wordsMissing(removed, [...added, ...segments.values()]);
  const fresh = yield* wordsMissing(added, [...removed, ...index.segments.values()]);
  const vocabulary = changeVocabulary(index.vocabulary, gone, fresh);
  yield;
  return { segments, vocabulary, ...numberDocuments(segments) };
}

const termsInOneStep = 256;

/** The words of these segments that the others do not have. */
function* wordsMissing(segments: readonly Segment[], others: readonly Segment[]): Steps<ReadonlySet<string>> {
  const missing = new Set<string>();
  let looked = 0;
  for (const segment of segments) {
    for (const [stem, { words }] of segment.postings) {
      if (looked % termsInOneStep === 0) yield;
      looked += 1;
      for (const word of words) {
        if (!others.some(({ postings }) => postings.get(stem)?.words.includes(word))) missing.add(word);
      }
    }
  }
  return missing;
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
