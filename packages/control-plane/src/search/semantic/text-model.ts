// The port to a model that turns text into vectors within microseconds, in the process.

export interface TextModel {
  /** Names the model: vectors of another id are never compared. */
  readonly id: string;
  /**
   * A vector of length 1; all zero for a text without known words. Never throws. Equal texts have equal vectors on every
   * machine.
   */
  embed(text: string): Float32Array;
  /** Whether the vector of this query says what it means: not where it is in another language. */
  understands(text: string): boolean;
  /** Whether a word, in lower case, is an English one, and so no slip of another. */
  isWord(word: string): boolean;
}
