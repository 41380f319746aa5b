// Fuses what words find with what meaning finds: a weighted sum of two scores, each 1 for the best of what the searcher sees.
// The reasons and measurements: docs/decisions/semantic-search.md.
import { type ExpandedQuery, expandQuery } from './expand-query.js';
import { createTagCheck, findHits, matchedWords, type NumberedDocument, passesFilters } from './find-hits.js';
import { findNear, type Nearness } from './nearness.js';
import { roundScore } from './ranking.js';
import { scoreDocuments } from './score-documents.js';
import type { MatchType, Meaning, SearchHit, SearchQuery } from './search-document.js';
import type { TermIndex } from './term-index.js';
import { type Candidate, createTopHits } from './top-hits.js';

/** The part of the meaning in the sum of both, for a model whose cosines say nothing by themselves. */
const MEANING_WEIGHT = 0.6;

/** The most that rounding changes in a score. */
const ROUNDED_BY = 0.0001;

/** Hits below this share of the best score are left out, for a model whose cosines are known: an answer costs its reader. */
const LEAST_SHARE_OF_BEST = 0.4;

/** The best hits by both; without query text, or where nothing stands out by its meaning, as without vectors. */
export function findFusedHits(index: TermIndex, query: SearchQuery, meaning: Meaning): readonly SearchHit[] {
  const text = query.text?.trim() ?? '';
  const near = text === '' ? undefined : findNear(index, query, meaning);
  if (near === undefined) return findHits(index, query);
  const expanded = expandQuery(text, index, meaning.isWord);
  const scores = scoreDocuments(index, expanded.words);
  const best = bestVisible(index, query, scores);
  const weight = weightOf(meaning, near);
  const perWord = best === 0 ? 0 : (1 - weight) / best;
  const top = createTopHits<NumberedDocument>(query.limit + 1, ({ document }) => passesFilters(document, query));
  let least = top.leastScore();
  for (const [{ documents }, base] of index.bases) {
    for (let position = 0; position < documents.length; position += 1) {
      const number = base + position;
      const score = scores[number]!; // one per document
      const exact = weight * near.share(number) + perWord * score;
      if (exact < least - ROUNDED_BY || (score === 0 && !near.hits.has(number))) continue;
      const fused = roundScore(exact);
      if (!(fused > 0 && fused >= least)) continue;
      const document = documents[position]!; // below the length
      top.offer(document.id, fused, { document, number });
      least = top.leastScore();
    }
  }
  const floor = meaning.trust === undefined ? 0 : LEAST_SHARE_OF_BEST * (top.list()[0]?.score ?? 0);
  return describe(index, query, { expanded, scores, near, top: top.list(), floor });
}

/** The more the nearest entry stands out, the more the meaning counts. */
function weightOf({ trust }: Meaning, { spread }: Nearness): number {
  return trust === undefined ? MEANING_WEIGHT : (trust * spread) / (trust * spread + 1);
}

/** The score by words of the best that the searcher sees: what is hidden must not move what is shown. */
function bestVisible(index: TermIndex, { isVisible }: SearchQuery, scores: Float64Array): number {
  let best = 0;
  for (const [segment, base] of index.bases) {
    const { documents } = segment;
    for (let position = 0; position < documents.length; position += 1) {
      const score = scores[base + position] ?? 0;
      if (score > best && (isVisible === undefined || isVisible(documents[position]!.id))) best = score; // below the length
    }
  }
  return best;
}

interface Found {
  readonly expanded: ExpandedQuery;
  readonly scores: Float64Array;
  readonly near: Nearness;
  /** One more than there is room for. */
  readonly top: readonly Candidate<NumberedDocument>[];
  readonly floor: number;
}

function describe(
  index: TermIndex,
  query: SearchQuery,
  { expanded, scores, near, top, floor }: Found,
): readonly SearchHit[] {
  const isTagMatch = createTagCheck(query, expanded.tokens);
  const kept = top.slice(0, query.limit).filter(({ score }) => score >= floor);
  return kept.map(({ id, score, item: { document, number } }, at) => {
    const byWords = scores[number] ?? 0;
    const named: readonly (readonly [boolean, MatchType])[] = [
      [byWords > 0, 'lexical'],
      [near.hits.has(number), 'semantic'],
      [isTagMatch(document), 'tag'],
    ];
    return {
      id,
      score,
      matchTypes: named.filter(([holds]) => holds).map(([, name]) => name),
      ...matchedWords(index, expanded, number, byWords),
      similarity: near.similarity(number),
      above: near.above(number),
      lead: roundScore(score - (top[at + 1]?.score ?? 0)),
    };
  });
}
