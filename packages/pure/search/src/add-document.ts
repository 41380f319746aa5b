// One document as weighted terms: names, where a term counts once, and text, where occurrences add up.
// Never compares documents; what is frequent or long is for the index to know.
import { addOccurrence, type GrowingTerm, raiseName, type TermOf } from './growing-terms.js';
import { MAX_FIELD_CHARS, MAX_FIELD_TOKENS, MAX_LIST_ITEMS } from './limits.js';
import { fieldWeights } from './ranking.js';
import type { SearchDocument } from './search-document.js';
import { tokenize } from './tokenize.js';

/** The lengths that normalise the weights of a document, in tokens. */
export interface DocumentLengths {
  readonly nameLength: number;
  readonly textLength: number;
}

/** Splits and weighs every field, and says so to the terms. @param position in the segment, past that of the document before */
export function addDocument(document: SearchDocument, position: number, termOf: TermOf): DocumentLengths {
  const termsOf = (text: string) => tokenize(text.slice(0, MAX_FIELD_CHARS), MAX_FIELD_TOKENS).map(termOf);
  const serverTerms = termsOf(document.server);
  const ownName = ownNameTerms(termsOf(document.tool), termsOf(document.id), new Set(serverTerms));

  for (const term of ownName) raiseName(term, position, fieldWeights.tool);
  for (const term of termsOf(joinItems(document.tags))) raiseName(term, position, fieldWeights.tag);
  for (const term of serverTerms) raiseName(term, position, fieldWeights.server);

  let textLength = 0;
  const addText = (text: string, weight: number) => {
    const terms = termsOf(text);
    const field = { position, weight };
    for (const term of terms) addOccurrence(term, field);
    textLength += weight * terms.length;
  };
  addText(document.summary, fieldWeights.summary);
  addText(document.description, fieldWeights.description);
  addText(joinItems(document.argumentNames), fieldWeights.argumentName);

  return { nameLength: ownName.size, textLength };
}

/** An id usually repeats server and tool; only what it adds, such as the words of an alias, is a name of its own. */
function ownNameTerms(
  ofTool: readonly GrowingTerm[],
  ofId: readonly GrowingTerm[],
  ofServer: ReadonlySet<GrowingTerm>,
): ReadonlySet<GrowingTerm> {
  return new Set([...ofTool, ...ofId.filter((term) => !ofServer.has(term))]);
}

function joinItems(items: readonly string[]): string {
  return items
    .slice(0, MAX_LIST_ITEMS)
    .map((item) => item.slice(0, MAX_FIELD_CHARS / MAX_LIST_ITEMS))
    .join(' ');
}
