// Limits that keep a hostile text cheap: text past a limit is ignored.

/** UTF-16 code units of a text that are read. */
export const MAX_TEXT_CHARS = 8_192;

/** Words of a text that are read. */
export const MAX_WORDS = 512;

/** A longer word is an encoded blob and counts as unknown (100 characters in BERT's tokenizer). */
export const MAX_WORD_CHARS = 100;
