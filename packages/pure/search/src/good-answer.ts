// How well what was found fits the query. docs/decisions/semantic-search.md says how the weights and bounds were chosen.
import type { Meaning, SearchHit } from './search-document.js';

/** An answer that has less is most likely without the right entry. */
const LEAST_EVIDENCE = 0.27;

/** From here on the right entry is most likely among the hits. */
const CONFIDENT_EVIDENCE = 0.66;

/** Weights of the share of words and of the lead; that of a cosine above the average is 1. */
const COVERAGE_WEIGHT = 0.5;
const LEAD_WEIGHT = 0.5;

/** `none`: nothing that was found fits. `possible`: it may. `confident`: it most likely does. */
export type Fit = 'none' | 'possible' | 'confident';

/**
 * How likely what was asked for is among these hits, 0 for no hit: the best that one of them has in meaning and words
 * together, and how far the first leads the second.
 */
export function evidenceOf(hits: readonly SearchHit[]): number {
  const fits = hits.map(({ above, coverage }) => (above ?? 0) + COVERAGE_WEIGHT * coverage);
  return Math.max(0, ...fits) + LEAD_WEIGHT * (hits[0]?.lead ?? 0);
}

/** Without a model whose cosines are known, any hit is `possible`: words alone do not say how well they fit. */
export function fitOf(hits: readonly SearchHit[], meaning: Meaning | undefined): Fit {
  if (hits.length === 0) return 'none';
  if (meaning?.trust === undefined) return 'possible';
  const evidence = evidenceOf(hits);
  if (evidence >= CONFIDENT_EVIDENCE) return 'confident';
  return evidence >= LEAST_EVIDENCE ? 'possible' : 'none';
}

/** An answer of the usual length has more than this many hits only where they are nearly as good as the best. */
const SURE_HITS = 5;
const LEAST_SHARE_LATER = 0.65;

/** Leaves out late hits that are far from the best: an answer costs its reader. For a search that was given no limit. */
export function briefly(hits: readonly SearchHit[], meaning: Meaning | undefined): readonly SearchHit[] {
  if (meaning?.trust === undefined) return hits;
  const floor = LEAST_SHARE_LATER * (hits[0]?.score ?? 0);
  return hits.filter(({ score }, at) => at < SURE_HITS || score >= floor);
}
