// The inverted index of one server: what an upstream's changed tool list replaces as a whole.
// Never knows about other servers, so totals and averages are the index's business.
import { addDocument } from './add-document.js';
import { createTermOf } from './growing-terms.js';
import type { SearchDocument } from './search-document.js';
import type { Steps } from './steps.js';

/** Where one term occurs in one segment: parallel arrays, one place per document that has it. */
export interface Postings {
  readonly segment: Segment;
  /** Positions in `segment.documents`. */
  readonly positions: readonly number[];
  /** The weight of the strongest name that holds the term, 0 for none. */
  readonly nameWeights: readonly number[];
  /** Weighted occurrences in the text fields. */
  readonly textWeights: readonly number[];
  /** The distinct unstemmed words of the term. */
  readonly words: readonly string[];
}

/** All documents of one server, with the sums that the averages of an index are made of. */
export interface Segment {
  readonly documents: readonly SearchDocument[];
  readonly nameLengths: readonly number[];
  readonly textLengths: readonly number[];
  readonly postings: ReadonlyMap<string, Postings>;
}

/** Indexes one server's documents, one in each step. Of two with the same id the later one counts. */
export function* segmentInSteps(repeated: readonly SearchDocument[]): Steps<Segment> {
  const documents = [...new Map(repeated.map((document) => [document.id, document])).values()];
  const nameLengths: number[] = [];
  const textLengths: number[] = [];
  const postings = new Map<string, Postings>();
  const segment: Segment = { documents, nameLengths, textLengths, postings };
  const termOf = createTermOf(segment, postings);
  for (const [position, document] of documents.entries()) {
    const { nameLength, textLength } = addDocument(document, position, termOf);
    nameLengths.push(nameLength);
    textLengths.push(textLength);
    yield;
  }
  return segment;
}
