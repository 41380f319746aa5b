// Documents, queries and hits: the shapes at the border of this package.
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
  /** Names the definition: vectors are kept under it. A document without one has no vector. */
  readonly digest?: string | undefined;
}

/**
 * A document as a program writes it: `id` and `description` are enough. `server` is the empty text by default, `tool` the id,
 * `summary` the description, `mode` is `write`, and there are no tags and no argument names.
 */
export type SearchEntry = Pick<SearchDocument, 'id' | 'description'> & Partial<SearchDocument>;

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

/** How near documents are to the text of one query, by their vectors. */
export interface Meaning {
  /**
   * Weight of a cosine of 1 above the average, relative to the best match of the words, for a model whose cosines are
   * known well. Without it the meaning has the same weight for all cosines.
   */
  readonly trust?: number | undefined;
  /**
   * Writes the cosine of each document into `into`, from place `from` on; NaN for one without a vector.
   * @param isRough whether an estimate is good enough, which takes a fraction of the time
   */
  compare(documents: readonly SearchDocument[], into: Float32Array, from: number, isRough: boolean): void;
  /** Writes the exact cosine of the document at each of these positions into `into`, at `from` + position; NaN without a vector. */
  compareAt(documents: readonly SearchDocument[], positions: Int32Array, into: Float32Array, from: number): void;
  /** Whether this is an English word, and so no misspelling of another; absent if the model has no list of words. */
  readonly isWord?: ((token: string) => boolean) | undefined;
  /** Returns the phrase of a text that is nearest to the query; absent if the search for it takes too long. */
  readonly nearestPhrase?: ((text: string) => string) | undefined;
}

/** Why a hit is a hit. `semantic` is only given where vectors take part. */
export type MatchType = 'lexical' | 'semantic' | 'tag';

/**
 * One answer. Hits come by descending score (4 decimals), equal scores by id in code unit order. The score is BM25's, or,
 * where vectors take part, between 0 and 1: 1 for what is best by words and nearest in meaning.
 */
export interface SearchHit {
  readonly id: string;
  readonly score: number;
  readonly matchTypes: readonly MatchType[];
  /** Words of the query that the document has, as the query writes them, the rarest first; empty without a query. */
  readonly words: readonly string[];
  /** How much of the query the document has in words, by their rarity: 0 to 1, 0 without a query. */
  readonly coverage: number;
  /** Cosine of the vectors; null if none takes part. */
  readonly similarity: number | null;
  /** How far that is above the average of the other entries that the searcher sees; null if no vector takes part. */
  readonly above: number | null;
  /** How far its score is above that of the next hit, 0 to 1; where no vector takes part, as a share of its own score. */
  readonly lead: number;
}
