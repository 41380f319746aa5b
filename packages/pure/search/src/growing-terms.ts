// The terms of a segment while it is built. A token is looked up once; what is said of its term goes straight to its postings.
// Never knows what a field is.
import { countedOccurrences } from './ranking.js';
import type { Postings, Segment } from './segment.js';
import { toStem } from './tokenize.js';

/** Documents are added to it in the order of their positions. */
export interface GrowingTerm {
  readonly postings: Postings & Record<'positions' | 'nameWeights' | 'textWeights', number[]> & { words: string[] };
  /** The field in which it occurred last, and how often it did there. */
  field: number;
  occurrences: number;
}

/** Gives the term of a token: the same for all tokens with its stem. */
export type TermOf = (token: string) => GrowingTerm;

/** @param postings of the segment, which get every term that is asked for */
export function createTermOf(segment: Segment, postings: Map<string, Postings>): TermOf {
  const byToken = new Map<string, GrowingTerm>();
  const byStem = new Map<string, GrowingTerm>();
  const ofStem = (stem: string): GrowingTerm => {
    const known = byStem.get(stem);
    if (known !== undefined) return known;
    const own = { segment, positions: [], nameWeights: [], textWeights: [], words: [] };
    const term = { postings: own, field: -1, occurrences: 0 };
    postings.set(stem, own);
    byStem.set(stem, term);
    return term;
  };
  return (token) => {
    const known = byToken.get(token);
    if (known !== undefined) return known;
    const term = ofStem(toStem(token));
    term.postings.words.push(token);
    byToken.set(token, term);
    return term;
  };
}

/** A name of the document holds the term; the strongest counts. */
export function raiseName({ postings }: GrowingTerm, position: number, weight: number): void {
  const at = placeOf(postings, position);
  postings.nameWeights[at] = Math.max(postings.nameWeights[at] ?? 0, weight);
}

/** A text of the document holds the term, once more. @param field a number that no other field of any document has */
export function addOccurrence(term: GrowingTerm, position: number, weight: number, field: number): void {
  if (term.field !== field) {
    term.field = field;
    term.occurrences = 0;
  }
  const before = countedOccurrences(term.occurrences);
  term.occurrences += 1;
  const { textWeights } = term.postings;
  const at = placeOf(term.postings, position);
  textWeights[at] = (textWeights[at] ?? 0) + weight * (countedOccurrences(term.occurrences) - before);
}

function placeOf({ positions, nameWeights, textWeights }: GrowingTerm['postings'], position: number): number {
  const last = positions.length - 1;
  if (positions[last] === position) return last;
  positions.push(position);
  nameWeights.push(0);
  textWeights.push(0);
  return last + 1;
}
