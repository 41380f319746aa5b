// Calls that wait for a server to start: a lazy one, or an eager one on its first attempt.
import type { AbortSignalLike } from '@portico/async';
import type { ConnectionState } from './connection.js';

export interface Starts {
  /** Whether what becomes of the start is known, rather than the signal aborted. */
  over(signal: AbortSignalLike): Promise<boolean>;
  /** It is known: whoever waits goes on. */
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

/** Before it is known what becomes of a start. Whatever is tried again after a failure has another status. */
export function isStarting({ status }: ConnectionState): boolean {
  return status === 'connecting' || status === 'idle';
}
