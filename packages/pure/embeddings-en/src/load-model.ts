// A model that is ready: a text's vector is the sum of its word pieces' weighted vectors, brought to length 1.
// Never depends on the machine: the same file and text give the same numbers everywhere.
import { isForeign } from './foreign-words.js';
import { MAX_TEXT_CHARS } from './limits.js';
import { readModelFile } from './model-file.js';
import { splitWords } from './split-words.js';
import { createVocabulary, type Vocabulary } from './vocabulary.js';

export { ModelError } from './model-file.js';

export interface StaticModel {
  /** Names the model with everything that its vectors depend on: vectors of another id must not be compared. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * The vector of a text, of length 1; all zero for a text without known words: such a vector is like nothing. The first
   * 8,192 characters are read.
   */
  embed(text: string): Float32Array;
  /**
   * Whether at least half of the text's words are common in English, and more than half where one is an article or the like
   * of another language. Vectors of other texts say little.
   */
  understands(text: string): boolean;
  /** Whether a word, in lower case, is one of the commonest English ones. */
  isWord(word: string): boolean;
}

/** The most frequent pieces come first in a file; a word among this many is a common one. */
const COMMON_PIECES = 10_000;

/** Names of files, hosts, paths and the like are of no language: letters or digits on both sides of a sign. */
const IDENTIFIER = /[^\s._/@\\]*(?:[._/@\\]+[\p{L}\p{N}][^\s._/@\\]*)+/gu;

/** Shorter words (de, la, un) are common in several languages. */
const MIN_WORD_CHARS = 3;

/**
 * Opens the model from the bytes of its file.
 * @param bytes the file `@portico/embeddings-en/model`, or one that the training tool has written; the model is used as it
 *   lies there, so they must not change afterwards
 * @throws ModelError for a file that is no model or is damaged
 */
export function loadModel(bytes: Uint8Array): StaticModel {
  const { digest, dimensions, vocabulary: text, scales, rows } = readModelFile(bytes);
  const vocabulary = createVocabulary(text);
  const sum = new Float64Array(dimensions); // of one text after the other
  return {
    id: `embeddings-en ${digest.slice(0, 16)}`,
    dimensions,
    embed(text) {
      sum.fill(0);
      for (const word of splitWords(text)) {
        for (const piece of vocabulary.split(word)) {
          const scale = scales[piece] ?? 0;
          const start = piece * dimensions;
          // Both arrays have a number at each of these places.
          for (let at = 0; at < dimensions; at += 1) sum[at]! += scale * rows[start + at]!;
        }
      }
      return toUnit(sum);
    },
    understands: (text) => isUnderstood(text, vocabulary),
    isWord: (word) => isCommon(word, vocabulary),
  };
}

function isUnderstood(text: string, vocabulary: Vocabulary): boolean {
  const named = splitWords(text).filter((word) => /\p{L}/u.test(word));
  const plain = splitWords(text.slice(0, MAX_TEXT_CHARS).replace(IDENTIFIER, ' ')).filter((word) =>
    /\p{L}/u.test(word),
  );
  const words = plain.length > 0 ? plain : named;
  const informative = words.filter((word) => word.length >= MIN_WORD_CHARS || /[^a-z]/.test(word) || isForeign(word));
  const counted = informative.length > 0 ? informative : words;
  const common = counted.filter((word) => isCommon(word, vocabulary) && !isForeign(word));
  // Names and loanwords are half of a short text in any language; beside a foreign article more must be English.
  const least = counted.some(isForeign) ? counted.length + 1 : counted.length;
  return counted.length > 0 && common.length * 2 >= least;
}

function isCommon(word: string, vocabulary: Vocabulary): boolean {
  const [piece, ...more] = vocabulary.split(word);
  return piece !== undefined && more.length === 0 && piece < COMMON_PIECES;
}

function toUnit(sum: Float64Array): Float32Array {
  let total = 0;
  for (const value of sum) total += value * value;
  const length = Math.sqrt(total);
  const unit = new Float32Array(sum.length);
  for (let at = 0; at < sum.length; at += 1) unit[at] = length === 0 ? 0 : (sum[at] ?? 0) / length;
  return unit;
}
