// What can be searched, what is asked and what is answered: the shapes at the border of this package.
// Never holds a schema or a definition; the caller looks those up by id.

/** One capability as the index sees it. `id` is unique in an index; `server` decides which segment it belongs to. */
export interface SearchDocument {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly argumentNames: readonly string[];
  readonly mode: SearchMode;
}

/** `read` for a tool that declares that it changes nothing, else `write`. */
export type SearchMode = 'read' | 'write';

/**
 * A search. Filters are intersected; an absent filter lets everything pass, an empty list lets nothing pass.
 * Without text (absent, null or blank) every entry that passes the filters is an answer.
 */
export interface SearchQuery {
  readonly text?: string | null | undefined;
  /** At most this many hits. */
  readonly limit: number;
  readonly serverIds?: readonly string[] | undefined;
  /** An entry passes when it carries all of these, compared exactly. */
  readonly tags?: readonly string[] | undefined;
  readonly modes?: readonly SearchMode[] | undefined;
  /** Asked for ids that would otherwise be hits; what it refuses is never returned. */
  readonly isVisible?: ((id: string) => boolean) | undefined;
}

/** How near an entry's vector is to the query's, as a cosine; undefined for an entry without one. */
export type SimilarityOf = (id: string) => number | undefined;

/** Why a hit is a hit. `semantic` is only given where vectors take part. */
export type MatchType = 'lexical' | 'semantic' | 'tag';

/**
 * One answer. Hits come by descending score (4 decimals), equal scores by id in code unit order. The score is BM25's, or,
 * where vectors take part, of the fused ranks: 1 for what is first in both.
 */
export interface SearchHit {
  readonly id: string;
  readonly score: number;
  readonly matchTypes: readonly MatchType[];
}
