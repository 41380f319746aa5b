// BM25F: for each query word the best of its alternatives, summed over the words.
// Never filters or sorts; a document with score 0 did not match.
import type { WeightedTerm } from './expand-query.js';
import { saturate } from './ranking.js';
import type { TermIndex } from './term-index.js';

/** Scores by document number. The sum runs in the order of the words, so it does not depend on the documents' order. */
export function scoreDocuments(index: TermIndex, words: readonly (readonly WeightedTerm[])[]): Float64Array {
  const scores = new Float64Array(index.size);
  let best: Float64Array | undefined; // of one word after the other
  for (const alternatives of words) {
    const [only] = alternatives;
    if (only !== undefined && alternatives.length === 1) {
      addMatches(index, only, scores);
      continue;
    }
    best ??= new Float64Array(index.size);
    for (const alternative of alternatives) raiseToMatches(index, alternative, best);
    for (const alternative of alternatives) moveMatches(index, alternative, best, scores);
  }
  return scores;
}

// Three loops over the same postings, written out: a function that is called for each match takes half of a search. In all,
// the arrays of a posting are parallel, and the factors and scores cover every document of every segment.

function addMatches(index: TermIndex, { term, weight }: WeightedTerm, scores: Float64Array): void {
  const { bases, nameFactors, textFactors } = index;
  for (const { segment, positions, nameWeights, textWeights } of term.postings) {
    const base = bases.get(segment) ?? 0;
    for (let at = 0; at < positions.length; at += 1) {
      const number = base + positions[at]!;
      const frequency = nameWeights[at]! * nameFactors[number]! + textWeights[at]! * textFactors[number]!;
      scores[number]! += weight * saturate(frequency);
    }
  }
}

function raiseToMatches(index: TermIndex, { term, weight }: WeightedTerm, best: Float64Array): void {
  const { bases, nameFactors, textFactors } = index;
  for (const { segment, positions, nameWeights, textWeights } of term.postings) {
    const base = bases.get(segment) ?? 0;
    for (let at = 0; at < positions.length; at += 1) {
      const number = base + positions[at]!;
      const frequency = nameWeights[at]! * nameFactors[number]! + textWeights[at]! * textFactors[number]!;
      const score = weight * saturate(frequency);
      if (score > best[number]!) best[number] = score;
    }
  }
}

/** Adds what was best for each document, and leaves zeros. */
function moveMatches({ bases }: TermIndex, { term }: WeightedTerm, best: Float64Array, scores: Float64Array): void {
  for (const { segment, positions } of term.postings) {
    const base = bases.get(segment) ?? 0;
    for (let at = 0; at < positions.length; at += 1) {
      const number = base + positions[at]!;
      scores[number]! += best[number]!;
      best[number] = 0;
    }
  }
}
