// From the documents of one server to its inverted index.
// Never knows about other servers, so totals and averages are the index's business.
import type { Steps } from '@portico/async';
import { addDocument } from './add-document.js';
import { createTermOf, type GrowingPostings } from './growing-terms.js';
import type { SearchDocument } from './search-document.js';
import type { Segment } from './segment.js';

/** Indexes one server's documents, one in each step. Where two have the same id, the later one counts. */
export function* createSegmentInSteps(repeated: readonly SearchDocument[]): Steps<Segment> {
  const documents = [...new Map(repeated.map((document) => [document.id, document])).values()];
  const nameLengths: number[] = [];
  const textLengths: number[] = [];
  const postings = new Map<string, GrowingPostings>();
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
