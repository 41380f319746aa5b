// BM25F: for each query word the best of its alternatives, summed over the words.
// Never filters or sorts; a document with score 0 did not match.
import type { WeightedTerm } from './expand-query.js';
import { saturate } from './ranking.js';
import type { TermIndex } from './term-index.js';

/** Scores by document number. The sum runs in the order of the words, so it does not depend on the documents' order. */
export function scoreDocuments(index: TermIndex, words: readonly (readonly WeightedTerm[])[]): Float64Array {
  const scores = new Float64Array(index.size);
  const add = (number: number, score: number) => {
    // Every number that a posting yields is below the size.
    scores[number]! += score;
  };
  for (const alternatives of words) {
    const [only] = alternatives;
    if (only !== undefined && alternatives.length === 1) forEachMatch(index, only, add);
    else forEachBest(index, alternatives, add);
  }
  return scores;
}

function forEachBest(
  index: TermIndex,
  alternatives: readonly WeightedTerm[],
  visit: (number: number, score: number) => void,
): void {
  const best = new Map<number, number>();
  for (const alternative of alternatives) {
    forEachMatch(index, alternative, (number, score) => {
      if (score > (best.get(number) ?? 0)) best.set(number, score);
    });
  }
  for (const [number, score] of best) visit(number, score);
}

function forEachMatch(
  index: TermIndex,
  { term, weight }: WeightedTerm,
  visit: (number: number, score: number) => void,
): void {
  const { bases, nameFactors, textFactors } = index;
  for (const { segment, positions, nameWeights, textWeights } of term.postings) {
    const base = bases.get(segment) ?? 0;
    for (let at = 0; at < positions.length; at += 1) {
      // The three arrays are parallel, and the factors cover every document of every segment.
      const number = base + positions[at]!;
      const frequency = nameWeights[at]! * nameFactors[number]! + textWeights[at]! * textFactors[number]!;
      visit(number, weight * saturate(frequency));
    }
  }
}
