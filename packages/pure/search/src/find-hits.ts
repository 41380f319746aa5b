// One search from query to hits: expand, score, filter, keep the best, say why each is there.
// Never returns an entry that a filter or the visibility check refused.
import { expandQuery } from './expand-query.js';
import { MAX_FIELD_TOKENS } from './limits.js';
import { roundScore } from './ranking.js';
import { scoreDocuments } from './score-documents.js';
import type { MatchType, SearchDocument, SearchHit, SearchQuery } from './search-document.js';
import type { TermIndex } from './term-index.js';
import { tokenize } from './tokenize.js';
import { createTopHits } from './top-hits.js';

/** The best hits of the index for the query; without query text, every entry that passes the filters, by id. */
export function findHits(index: TermIndex, query: SearchQuery): readonly SearchHit[] {
  const text = query.text?.trim() ?? '';
  const { tokens, words } = expandQuery(text, index);
  const scores = text === '' ? null : scoreDocuments(index, words);
  const top = createTopHits<SearchDocument>(query.limit, (document) => passesFilters(document, query));

  for (const [server, segment] of index.segments) {
    if (query.serverIds !== undefined && !query.serverIds.includes(server)) continue;
    let number = index.bases.get(segment) ?? 0;
    for (const document of segment.documents) {
      const score = scores?.[number] ?? 0;
      number += 1;
      if (scores === null || score > 0) top.offer(document.id, roundScore(score), document);
    }
  }

  const isTagMatch = createTagCheck(query, tokens);
  return top.list().map(({ id, score, item }) => {
    const matchTypes: MatchType[] = scores === null ? [] : ['lexical'];
    if (isTagMatch(item)) matchTypes.push('tag');
    return { id, score, matchTypes };
  });
}

export function passesFilters(document: SearchDocument, { serverIds, tags, modes, isVisible }: SearchQuery): boolean {
  if (serverIds !== undefined && !serverIds.includes(document.server)) return false;
  if (modes !== undefined && !modes.includes(document.mode)) return false;
  if (tags !== undefined && (tags.length === 0 || !tags.every((tag) => document.tags.includes(tag)))) return false;
  return isVisible === undefined || isVisible(document.id);
}

/** Whether the tag filter let a document through, or the query names one of its tags. */
export function createTagCheck(query: SearchQuery, tokens: readonly string[]): (document: SearchDocument) => boolean {
  const queryTokens = new Set(tokens);
  return ({ tags }) => query.tags !== undefined || tags.some((tag) => isTagNamed(tag, queryTokens));
}

/** A tag of several words is named when the query has all of them. */
function isTagNamed(tag: string, queryTokens: ReadonlySet<string>): boolean {
  const tokens = tokenize(tag, MAX_FIELD_TOKENS);
  return tokens.length > 0 && tokens.every((token) => queryTokens.has(token));
}
