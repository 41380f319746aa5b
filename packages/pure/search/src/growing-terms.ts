// The terms of a segment while it is made. A token is looked up once; what is said of its term goes straight to its postings.
// Never knows what a field is.
import { countedOccurrences } from './ranking.js';
import type { Postings, Segment } from './segment.js';
import { toStem } from './tokenize.js';

export interface GrowingPostings extends Postings {
  readonly positions: number[];
  readonly nameWeights: number[];
  readonly textWeights: number[];
  readonly words: string[];
}

/** One term, to which documents are added in the order of their positions. */
export interface GrowingTerm {
  readonly postings: GrowingPostings;
  /** The field that had it last, and how often that has it. */
  lastField: Field | undefined;
  occurrences: number;
}

/** A text field of one document: an object of its own for each. */
export interface Field {
  /** Position of the document in its segment. */
  readonly position: number;
  /** Weight of one occurrence. */
  readonly weight: number;
}

/** Gives the term of a token, and makes it where it is new: the same for all tokens with its stem. */
export type TermOf = (token: string) => GrowingTerm;

/** @param postings of the segment, which get every term that is made */
export function createTermOf(segment: Segment, postings: Map<string, GrowingPostings>): TermOf {
  const byToken = new Map<string, GrowingTerm>();
  const byStem = new Map<string, GrowingTerm>();
  const ofStem = (stem: string): GrowingTerm => {
    const known = byStem.get(stem);
    if (known !== undefined) return known;
    const own: GrowingPostings = { segment, positions: [], nameWeights: [], textWeights: [], words: [] };
    const term = { postings: own, lastField: undefined, occurrences: 0 };
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

/** A name of the document at this position holds the term; the strongest counts. */
export function raiseName({ postings }: GrowingTerm, position: number, weight: number): void {
  const at = placeOf(postings, position);
  postings.nameWeights[at] = Math.max(postings.nameWeights[at] ?? 0, weight);
}

/** A text field holds the term, once more. */
export function addOccurrence(term: GrowingTerm, field: Field): void {
  if (term.lastField !== field) {
    term.lastField = field;
    term.occurrences = 0;
  }
  const before = countedOccurrences(term.occurrences);
  term.occurrences += 1;
  const more = countedOccurrences(term.occurrences) - before;
  const { textWeights } = term.postings;
  const at = placeOf(term.postings, field.position);
  textWeights[at] = (textWeights[at] ?? 0) + field.weight * more;
}

function placeOf({ positions, nameWeights, textWeights }: GrowingPostings, position: number): number {
  const last = positions.length - 1;
  if (positions[last] === position) return last;
  positions.push(position);
  nameWeights.push(0);
  textWeights.push(0);
  return last + 1;
}
