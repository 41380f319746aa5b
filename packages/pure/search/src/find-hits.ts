// One search from query to hits: expand, score, filter, keep the best, say why each is there.
// Never returns an entry that a filter or the visibility check refused.
import { type ExpandedQuery, expandQuery, type WeightedTerm } from './expand-query.js';
import { MAX_FIELD_TOKENS } from './limits.js';
import { roundScore } from './ranking.js';
import { scoreDocuments } from './score-documents.js';
import type { MatchType, SearchDocument, SearchHit, SearchQuery } from './search-document.js';
import type { Postings } from './segment.js';
import type { TermIndex } from './term-index.js';
import { tokenize } from './tokenize.js';
import { createTopHits, leadOf } from './top-hits.js';

/** The best hits of the index for the query; without query text, every entry that passes the filters, by id. */
export function findHits(index: TermIndex, query: SearchQuery): readonly SearchHit[] {
  const text = query.text?.trim() ?? '';
  const expanded = expandQuery(text, index);
  const { tokens, words } = expanded;
  const scores = text === '' ? null : scoreDocuments(index, words);
  const top = createTopHits<NumberedDocument>(query.limit + 1, ({ document }) => passesFilters(document, query));

  let least = top.leastScore();
  for (const [server, segment] of index.segments) {
    if (query.serverIds !== undefined && !query.serverIds.includes(server)) continue;
    let number = index.bases.get(segment) ?? 0;
    for (const document of segment.documents) {
      const score = scores?.[number] ?? 0;
      const rounded = roundScore(score);
      if (rounded >= least && (scores === null || score > 0)) {
        top.offer(document.id, rounded, { document, number });
        least = top.leastScore();
      }
      number += 1;
    }
  }

  const isTagMatch = createTagCheck(query, tokens);
  const best = top.list();
  return best.slice(0, query.limit).map(({ id, score, item }, at) => {
    const matchTypes: MatchType[] = scores === null ? [] : ['lexical'];
    if (isTagMatch(item.document)) matchTypes.push('tag');
    const matched = scores === null ? noWords : matchedWords(index, expanded, item.number, scores[item.number] ?? 0);
    return { id, score, matchTypes, ...matched, similarity: null, above: null, lead: leadOf(best, at) };
  });
}

/** A document and its number in the index. */
export interface NumberedDocument {
  readonly document: SearchDocument;
  readonly number: number;
}

const noWords = { words: [], coverage: 0 } as const;

/** The words of the query that a document has, and their share of the query. @param score of the document, by words */
export function matchedWords(
  index: TermIndex,
  { words, names, byRarity, ideal }: ExpandedQuery,
  number: number,
  score: number,
): Pick<SearchHit, 'words' | 'coverage'> {
  const hasTerm = ({ term }: WeightedTerm) => term.postings.some((postings) => hasNumber(index, postings, number));
  return {
    words: score === 0 ? [] : byRarity.filter((at) => words[at]?.some(hasTerm)).flatMap((at) => names[at] ?? []),
    coverage: ideal === 0 ? 0 : Math.min(1, roundScore(score / ideal)),
  };
}

function hasNumber({ bases }: TermIndex, { segment, positions }: Postings, number: number): boolean {
  const position = number - (bases.get(segment) ?? 0);
  if (position < 0 || position >= segment.documents.length) return false;
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    // `middle` is below `high`, which is at most the length.
    if (positions[middle]! < position) low = middle + 1;
    else high = middle;
  }
  return positions[low] === position;
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
