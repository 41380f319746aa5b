// The inverted index of one server: what an upstream's changed tool list replaces as a whole.
// Never knows about other servers, so totals and averages are the index's business.
import { analyzeDocument } from './analyze-document.js';
import type { SearchDocument } from './search-document.js';

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

interface GrowingPostings extends Postings {
  readonly positions: number[];
  readonly nameWeights: number[];
  readonly textWeights: number[];
  readonly words: string[];
}

/** Indexes one server's documents. Of two with the same id the later one counts. */
export function createSegment(documents: readonly SearchDocument[]): Segment {
  const unique = [...new Map(documents.map((document) => [document.id, document])).values()];
  const stems = new Map<string, string>();
  const analyzed = unique.map((document) => analyzeDocument(document, stems));
  const postings = new Map<string, GrowingPostings>();
  const segment: Segment = {
    documents: unique,
    nameLengths: analyzed.map((one) => one.nameLength),
    textLengths: analyzed.map((one) => one.textLength),
    postings,
  };
  for (const [position, { weights }] of analyzed.entries()) {
    for (const [stem, weight] of weights) {
      let list = postings.get(stem);
      if (list === undefined) {
        list = { segment, positions: [], nameWeights: [], textWeights: [], words: [] };
        postings.set(stem, list);
      }
      list.positions.push(position);
      list.nameWeights.push(weight.name);
      list.textWeights.push(weight.text);
    }
  }
  for (const [word, stem] of stems) postings.get(stem)?.words.push(word);
  return segment;
}
