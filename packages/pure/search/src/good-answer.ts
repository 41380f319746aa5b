// How well the best of what was found fits the query. docs/decisions/semantic-search.md says how the bounds were chosen.
import type { Meaning, SearchHit } from './search-document.js';

/** An answer whose best hit has less is most likely without the right entry. */
const LEAST_EVIDENCE = 0.35;

/** From here on the right entry is there more often than not, where every second question has one. */
const CONFIDENT_EVIDENCE = 0.7;

/** `none`: nothing that was found fits. `possible`: it may. `confident`: it most likely does. */
export type Fit = 'none' | 'possible' | 'confident';

/** How likely a hit is what was asked for, by its meaning and the share of the query's words that it has: higher is likelier. */
export function evidenceOf({ similarity, coverage }: Pick<SearchHit, 'similarity' | 'coverage'>): number {
  return (similarity ?? 0) + coverage;
}

/** Without a model whose cosines are known, any hit is `possible`: words alone do not say how well they fit. */
export function fitOf(hits: readonly SearchHit[], meaning: Meaning | undefined): Fit {
  if (hits.length === 0) return 'none';
  if (meaning?.trust === undefined) return 'possible';
  const evidence = Math.max(...hits.map(evidenceOf));
  if (evidence >= CONFIDENT_EVIDENCE) return 'confident';
  return evidence >= LEAST_EVIDENCE ? 'possible' : 'none';
}
