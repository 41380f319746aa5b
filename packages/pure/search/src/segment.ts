// The inverted index of one server: what an upstream's changed tool list replaces as a whole. Shapes only.
import type { SearchDocument } from './search-document.js';

/** Where one term occurs in one segment: parallel arrays, one place per document that has it. */
export interface Postings {
  readonly segment: Segment;
  /** Positions in `segment.documents`, ascending. */
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
