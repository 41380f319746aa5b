// The cost of an answer of `capability_search` for its reader, by words and by both: the same fields as the plane gives.
import { briefly, fitOf, type Meaning, type SearchHit, type SearchIndex, whyOf } from '@portico/search';
import type { EvaluationSet } from './dataset.js';

export interface Cost {
  readonly hits: number;
  readonly bytes: number;
  /** An estimate without a tokenizer: up to 6 letters, up to 3 digits, or a sign are one. */
  readonly tokens: number;
}

const LIMIT = 8;

/** Returns the cost of the mean answer. @param meaningOf absent for search by words alone: its answers have no `why` */
export function meanCost(
  set: EvaluationSet,
  index: SearchIndex,
  meaningOf?: (text: string) => Meaning | undefined,
): Cost {
  const costs = set.queries.map(({ text }) => {
    const meaning = meaningOf?.(text);
    const hits = briefly(index.search({ text, limit: LIMIT }, meaning), meaning);
    const answer = JSON.stringify(toAnswer(set, hits, meaningOf === undefined ? null : { meaning }));
    return {
      hits: hits.length,
      bytes: Buffer.byteLength(answer),
      tokens: answer.match(/\p{L}{1,6}|\d{1,3}|[^\s\p{L}\d]/gu)?.length ?? 0,
    };
  });
  const mean = (pick: (cost: Cost) => number) => costs.reduce((sum, cost) => sum + pick(cost), 0) / costs.length;
  return { hits: mean(({ hits }) => hits), bytes: mean(({ bytes }) => bytes), tokens: mean(({ tokens }) => tokens) };
}

/** @param fused null for an answer as it was before: without reasons */
function toAnswer(
  { documents }: EvaluationSet,
  hits: readonly SearchHit[],
  fused: { readonly meaning: Meaning | undefined } | null,
): object {
  const byId = new Map(documents.map((document) => [document.id, document]));
  const capabilities = hits.map((hit) => {
    const { summary = '', server, tags, mode } = byId.get(hit.id) ?? {};
    const item = { id: hit.id, summary, server, tags, mode, score: hit.score, match_types: hit.matchTypes };
    const why =
      fused === null ? undefined : whyOf(hit, summary, () => fused.meaning?.nearestPhrase?.(summary) ?? summary);
    return why === undefined ? item : { ...item, why };
  });
  const fit = fused === null ? 'possible' : fitOf(hits, fused.meaning);
  const instead = { hint: 'no hit is likely what you want; search in other words', servers: [], tags: [] };
  return {
    version: 'v1',
    catalog_version: `sha256:${'0'.repeat(64)}`,
    capabilities,
    ...(fit === 'confident' ? { confident: true } : {}),
    ...(fit === 'none' ? { no_good_match: instead } : {}),
  };
}
