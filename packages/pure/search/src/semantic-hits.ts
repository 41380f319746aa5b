// Which entries the embedding finds: the nearest few that stand out from the rest of what the searcher sees.
// Nothing is near by itself: every model spreads its similarities differently, so that only their order and spread count.
// The reasons and measurements: docs/decisions/semantic-search.md.
import { passesFilters } from './find-hits.js';
import type { SearchDocument, SearchQuery, SimilarityOf } from './search-document.js';
import type { TermIndex } from './term-index.js';
import { type Candidate, createTopHits } from './top-hits.js';

/** The embedding names no more entries than this. */
export const MAX_SEMANTIC_HITS = 10;

/** How much of the way from the average entry to the nearest one an entry must have come. */
export const SIMILARITY_SHARE = 0.7;

/** Differences below this come from the rounding of sums. */
const ROUNDING = 1e-9;

/** Nearest first, equally near ones by id. Entries without a vector are not there. */
export function findSemanticHits(
  index: TermIndex,
  query: SearchQuery,
  similarityOf: SimilarityOf,
): readonly Candidate<SearchDocument>[] {
  const seen: number[] = [];
  const top = createTopHits<SearchDocument>(MAX_SEMANTIC_HITS, (document) => passesFilters(document, query));
  for (const { documents } of index.segments.values()) {
    for (const document of documents) {
      // What the searcher may not see must not move the average either.
      if (query.isVisible !== undefined && !query.isVisible(document.id)) continue;
      const similarity = similarityOf(document.id);
      if (similarity === undefined) continue;
      seen.push(similarity);
      top.offer(document.id, similarity, document);
    }
  }
  const nearest = top.list();
  const best = nearest[0]?.score ?? 0;
  const mean = seen.reduce((sum, one) => sum + one, 0) / Math.max(seen.length, 1);
  if (best - mean < ROUNDING) return []; // nothing stands out
  const floor = mean + SIMILARITY_SHARE * (best - mean) - ROUNDING;
  return nearest.filter(({ score }) => score > 0 && score >= floor);
}
