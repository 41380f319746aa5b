// The port to time. Everything in this package that waits or measures does it through here.
import type { AbortSignalLike } from '@portico/async';

export interface Clock {
  /** Monotonic milliseconds; only differences mean anything. */
  now(): number;
  /** Milliseconds since the Unix epoch, for timestamps that people read. */
  epochMs(): number;
  /**
   * Calls `run` after `ms`, unless the returned function is called before; after 0, when all that has arrived by now was
   * taken in. The cheap way to wait, for every call.
   */
  after(ms: number, run: () => void): () => void;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>;
}

/** `Clock.sleep` for a clock that has `after`. */
export function sleepBy(after: Clock['after']): Clock['sleep'] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = after(ms, () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      });
      const giveUp = () => {
        cancel();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
    });
}
