// One document as weighted terms: names, where a term counts once, and text, where occurrences add up.
// Never compares documents; what is frequent or long is for the index to know.
import { MAX_FIELD_CHARS, MAX_FIELD_TOKENS, MAX_LIST_ITEMS } from './limits.js';
import { countedOccurrences, fieldWeights } from './ranking.js';
import type { SearchDocument } from './search-document.js';
import { tokenize, toStem } from './tokenize.js';

/** What one term weighs in one document. */
export interface TermWeights {
  name: number;
  text: number;
}

/** The terms of a document and the lengths that its weights are normalised by, in tokens. */
export interface AnalyzedDocument {
  readonly weights: ReadonlyMap<string, TermWeights>;
  readonly nameLength: number;
  readonly textLength: number;
}

/** Splits and weighs every field. `stems` is the caller's cache from token to stem, filled with the tokens seen. */
export function analyzeDocument(document: SearchDocument, stems: Map<string, string>): AnalyzedDocument {
  const weights = new Map<string, TermWeights>();
  const serverStems = stemsOf(document.server, stems);
  const ownName = ownNameStems(document, new Set(serverStems), stems);

  for (const stem of ownName) weigh(weights, stem).name = fieldWeights.tool;
  for (const stem of stemsOf(joinItems(document.tags), stems)) raiseName(weights, stem, fieldWeights.tag);
  for (const stem of serverStems) raiseName(weights, stem, fieldWeights.server);

  let textLength = 0;
  const addText = (text: string, weight: number) => {
    const found = stemsOf(text, stems);
    for (const [stem, count] of countEach(found)) weigh(weights, stem).text += weight * countedOccurrences(count);
    textLength += weight * found.length;
  };
  addText(document.summary, fieldWeights.summary);
  addText(document.description, fieldWeights.description);
  addText(joinItems(document.argumentNames), fieldWeights.argumentName);

  return { weights, nameLength: ownName.size, textLength };
}

/** An id usually repeats server and tool; only what it adds, such as the words of an alias, is a name of its own. */
function ownNameStems(
  document: SearchDocument,
  serverStems: ReadonlySet<string>,
  stems: Map<string, string>,
): Set<string> {
  const own = new Set(stemsOf(document.tool, stems));
  for (const stem of stemsOf(document.id, stems)) {
    if (!serverStems.has(stem)) own.add(stem);
  }
  return own;
}

function raiseName(weights: Map<string, TermWeights>, stem: string, weight: number): void {
  const entry = weigh(weights, stem);
  entry.name = Math.max(entry.name, weight);
}

function weigh(weights: Map<string, TermWeights>, stem: string): TermWeights {
  const found = weights.get(stem);
  if (found !== undefined) return found;
  const entry = { name: 0, text: 0 };
  weights.set(stem, entry);
  return entry;
}

function countEach(items: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

function stemsOf(text: string, stems: Map<string, string>): string[] {
  return tokenize(text.slice(0, MAX_FIELD_CHARS), MAX_FIELD_TOKENS).map((token) => {
    const known = stems.get(token);
    if (known !== undefined) return known;
    const stem = toStem(token);
    stems.set(token, stem);
    return stem;
  });
}

function joinItems(items: readonly string[]): string {
  return items
    .slice(0, MAX_LIST_ITEMS)
    .map((item) => item.slice(0, MAX_FIELD_CHARS / MAX_LIST_ITEMS))
    .join(' ');
}
