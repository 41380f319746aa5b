// The port to a model that turns text into vectors.
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
