// Waits for work under an abort signal.
import type { AbortSignalLike } from './abort-source.js';

/** Rejects with the signal's reason once it aborts, even where the work itself does not listen. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignalLike): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    const letGo = () => signal.removeEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    work.then(
      (value) => {
        letGo();
        resolve(value);
      },
      (error: unknown) => {
        letGo();
        reject(error);
      },
    );
  });
}
