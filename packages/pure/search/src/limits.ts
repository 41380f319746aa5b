// Limits that keep a hostile query or description cheap: text past a limit is ignored.
// Never an error; descriptions this long say what they do at their beginning.

/** Characters of a field that are read, and tokens of it that are indexed. */
export const MAX_FIELD_CHARS = 32_768;
export const MAX_FIELD_TOKENS = 2_048;

/** Characters of a query that are read, and distinct tokens of it that are searched. */
export const MAX_QUERY_CHARS = 8_192;
export const MAX_QUERY_TOKENS = 64;

/** A longer run of letters is an encoded blob, not a word. */
export const MAX_TOKEN_CHARS = 64;

/** Tags and argument names of one document that are indexed. */
export const MAX_LIST_ITEMS = 256;

/** Vocabulary words that a prefix or a typo may expand to, and tokens per query that are tried as typos. */
export const MAX_EXPANSIONS = 128;
export const MAX_TYPO_TOKENS = 8;
