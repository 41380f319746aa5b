// The port to a model that turns text into vectors, and one that lives in the process, for tests and embedders.
import type { AbortSignalLike } from '@portico/async';

export interface Embedder {
  /** Names the model with everything that its vectors depend on: vectors of another id are never compared. No secret. */
  readonly id: string;
  /**
   * One vector for each text, in their order, all of one length and of finite numbers. Rejects when the model fails, when
   * it does not answer in time, and when the signal aborts; the message may be logged.
   */
  embed(texts: readonly string[], signal: AbortSignalLike): Promise<readonly Float32Array[]>;
}

const dimensions = 256;
const gramLength = 3;

/** Counts hashed runs of three characters: alike is what is spelt alike. Knows nothing of meaning. */
export function createMemoryEmbedder(): Embedder {
  return { id: 'memory', embed: async (texts) => texts.map(countGrams) };
}

function countGrams(text: string): Float32Array {
  const counts = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const padded = ` ${word} `;
    for (let at = 0; at + gramLength <= padded.length; at += 1) {
      // A remainder is below the number of dimensions.
      counts[hash(padded.slice(at, at + gramLength)) % dimensions]! += 1;
    }
  }
  return counts;
}

/** FNV-1a over code units. */
function hash(text: string): number {
  let value = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 16_777_619) >>> 0;
  return value;
}
