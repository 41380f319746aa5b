// Whether the best of what was found is likely what was asked for. docs/decisions/semantic-search.md says how it was chosen.
import type { Meaning, SearchHit } from './search-document.js';

/** What a whole query in words is worth beside a cosine of 1. */
const COVERAGE_WEIGHT = 0.75;

/** An answer is good from here on. */
const LEAST_EVIDENCE = 0.35;

/** How likely a hit is what was asked for, by its words and its meaning: higher is likelier. */
export function evidenceOf({ similarity, coverage }: Pick<SearchHit, 'similarity' | 'coverage'>): number {
  return (similarity ?? 0) + COVERAGE_WEIGHT * coverage;
}

/** Without a model whose cosines are known, every answer that has hits is good: words alone do not say how well they fit. */
export function isGoodAnswer(hits: readonly SearchHit[], meaning: Meaning | undefined): boolean {
  if (hits.length === 0 || meaning?.trust === undefined) return hits.length > 0;
  return hits.some((hit) => evidenceOf(hit) >= LEAST_EVIDENCE);
}
