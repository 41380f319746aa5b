// Runs graded queries against an index and judges the answers.
// Never tunes anything: the index is searched as it stands.
import type { Meaning, SearchIndex } from '@portico/search';
import type { GradedQuery } from './dataset.js';
import { judge, type Metrics, meanMetrics } from './metrics.js';

/** The least recall@5 over the dev half that is accepted; plain BM25 reaches 0.754. */
export const MIN_RECALL_AT_5 = 0.85;

/**
 * Mean metrics over the queries, each sent as it stands with limit 10.
 * @param meaningOf where it is given, words and meaning are fused
 */
export function evaluate(
  index: SearchIndex,
  queries: readonly GradedQuery[],
  meaningOf?: (text: string) => Meaning | undefined,
): Metrics {
  return meanMetrics(queries.map(({ text, relevant }) => judge(rank(index, text, meaningOf?.(text)), relevant)));
}

/** The ids of the ten best hits, best first. */
export function rank(index: SearchIndex, text: string, meaning?: Meaning): readonly string[] {
  return index.search({ text, limit: 10 }, meaning).map((hit) => hit.id);
}
