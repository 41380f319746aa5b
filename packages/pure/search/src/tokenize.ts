// Cuts names and prose in any script into lower-case tokens; the same cuts for documents and queries.
// Never drops a word for its meaning: stop words are the query's business.
import { stemmer } from 'stemmer';
import { MAX_TOKEN_CHARS } from './limits.js';

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Scripts written without spaces, or with words too glued together to look up whole. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const UNSPACED_RUN = new RegExp(`^[${UNSPACED}]`, 'u');

/** An unspaced run, a number, an acronym before a capitalised word, or a word with at most one leading capital. */
const PART = new RegExp(`[${UNSPACED}]+|\\p{N}+|\\p{Lu}+(?!\\p{Ll})|\\p{Lu}?[^\\p{Lu}\\p{N}${UNSPACED}]+`, 'gu');

const COMBINING_ACCENT = /[\u0300-\u036f]+/g;
/** Nearly every text; nothing in it is to be folded, and its words are found faster. */
const PLAIN_TEXT = /^[\s!-~]*$/;
const WORD_OF_PLAIN_TEXT = /[A-Za-z0-9]+/g;
/** The same in a word of plain text. */
const PART_OF_PLAIN_TEXT = /[0-9]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
/** Nearly every word; the general pattern finds the same single part in it, slowly. */
const PLAIN_WORD = /^[A-Z]?[a-z]+$/;
const ENGLISH_WORD = /^[a-z]+$/;

/**
 * The first `limit` tokens of `text`, in order, repeats included. `readTextFile2` gives `read text file 2` and the whole
 * `readtextfile2`; unspaced scripts give characters and pairs of characters. Accents and character width are folded.
 */
export function tokenize(text: string, limit: number): string[] {
  const tokens: string[] = [];
  const isPlain = PLAIN_TEXT.test(text);
  for (const [word] of isPlain ? text.matchAll(WORD_OF_PLAIN_TEXT) : fold(text).matchAll(WORD)) {
    if (tokens.length >= limit) break;
    if (PLAIN_WORD.test(word)) {
      pushToken(tokens, word);
      continue;
    }
    const parts = word.match(isPlain ? PART_OF_PLAIN_TEXT : PART) ?? [];
    for (const part of parts) {
      if (UNSPACED_RUN.test(part)) pushCharactersAndPairs(tokens, part, limit);
      else pushToken(tokens, part);
    }
    if (parts.length > 1) pushToken(tokens, word);
  }
  return tokens.length > limit ? tokens.slice(0, limit) : tokens;
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(COMBINING_ACCENT, '').normalize('NFC');
}

/** The form under which a token is indexed: English words by their Porter stem, anything else as it is. */
export function toStem(token: string): string {
  return ENGLISH_WORD.test(token) ? stemmer(token) : token;
}

function pushToken(tokens: string[], token: string): void {
  if (token.length <= MAX_TOKEN_CHARS) tokens.push(token.toLowerCase());
}

function pushCharactersAndPairs(tokens: string[], run: string, limit: number): void {
  let previous = '';
  for (const character of run) {
    if (tokens.length >= limit) return;
    if (previous !== '') tokens.push(previous + character);
    tokens.push(character);
    previous = character;
  }
}
