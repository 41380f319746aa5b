// Fuses the ranks by words with the ranks by meaning: reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009).
// Never compares a BM25 score with a cosine; only places count.
import { expandQuery } from './expand-query.js';
import { createTagCheck, findHits } from './find-hits.js';
import { roundScore } from './ranking.js';
import type { MatchType, SearchHit, SearchQuery, SimilarityOf } from './search-document.js';
import { findSemanticHits } from './semantic-hits.js';
import type { TermIndex } from './term-index.js';
import { createTopHits } from './top-hits.js';

/** The constant of the paper: how little the first places count more than the next ones. */
const K = 60;

/** Makes the score 1 for what is first in both lists, so that 4 decimals tell places apart. */
const SCALE = (K + 1) / 2;

/** The best hits of both lists together; without query text, as without vectors. */
export function findFusedHits(index: TermIndex, query: SearchQuery, similarityOf: SimilarityOf): readonly SearchHit[] {
  const text = query.text?.trim() ?? '';
  if (text === '') return findHits(index, query);
  const fused = new Map<string, Fused>();
  for (const [place, { id, matchTypes }] of findHits(index, { ...query, limit: index.size }).entries()) {
    fused.set(id, { score: reciprocal(place), isLexical: true, isSemantic: false, isTag: matchTypes.includes('tag') });
  }
  const isTagMatch = createTagCheck(query, expandQuery(text, index).tokens);
  for (const [place, { id, item }] of findSemanticHits(index, query, similarityOf).entries()) {
    const known = fused.get(id) ?? { score: 0, isLexical: false, isTag: isTagMatch(item) };
    fused.set(id, { ...known, score: known.score + reciprocal(place), isSemantic: true });
  }
  const top = createTopHits<Fused>(query.limit, () => true);
  for (const [id, hit] of fused) top.offer(id, roundScore(hit.score), hit);
  return top.list().map(({ id, score, item }) => ({ id, score, matchTypes: matchTypesOf(item) }));
}

interface Fused {
  readonly score: number;
  readonly isLexical: boolean;
  readonly isSemantic: boolean;
  readonly isTag: boolean;
}

/** @param place from 0 */
function reciprocal(place: number): number {
  return SCALE / (K + 1 + place);
}

function matchTypesOf({ isLexical, isSemantic, isTag }: Fused): readonly MatchType[] {
  const named: readonly (readonly [boolean, MatchType])[] = [
    [isLexical, 'lexical'],
    [isSemantic, 'semantic'],
    [isTag, 'tag'],
  ];
  return named.filter(([holds]) => holds).map(([, name]) => name);
}
