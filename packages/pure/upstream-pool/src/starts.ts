// Calls that wait for a server to start: a lazy one, or an eager one on its first attempt.
import type { AbortSignalLike } from '@portico/async';
import type { ConnectionState } from './connection.js';

export interface Starts {
  /** True when the outcome of the start is known, false when the signal aborted first. */
  over(signal: AbortSignalLike): Promise<boolean>;
  /** The outcome is known: waiting calls go on. */
  end(): void;
}

export function createStarts(): Starts {
  const waiting = new Set<() => void>();
  return {
    over: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false);
        const goOn = () => {
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        };
        const giveUp = () => {
          waiting.delete(goOn);
          resolve(false);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(goOn);
      }),
    end() {
      for (const goOn of waiting) goOn();
      waiting.clear();
    },
  };
}

/** Before the outcome of a start is known. A later attempt after a failure has another status. */
export function isStarting({ status }: ConnectionState): boolean {
  return status === 'connecting' || status === 'idle';
}
