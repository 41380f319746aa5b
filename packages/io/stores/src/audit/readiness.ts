// Something that is not there yet, for which one waits a while and no longer.
import { PorticoError } from '@portico/contracts';
import type { AuditClock } from './clock.js';

export interface Readiness {
  isReached(): boolean;
  reach(): void;
  /** @throws PorticoError INTERNAL_ERROR with the words, when it takes longer */
  wait(ms: number, words: () => string): Promise<void>;
}

export function createReadiness(clock: AuditClock): Readiness {
  const waiting = new Set<() => void>();
  let isReached = false;

  return {
    isReached: () => isReached,
    reach() {
      isReached = true;
      for (const go of waiting) go();
    },
    wait: (ms, words) =>
      new Promise((resolve, reject) => {
        if (isReached) return resolve();
        const go = () => {
          cancel();
          waiting.delete(go);
          resolve();
        };
        const cancel = clock.after(ms, () => {
          waiting.delete(go);
          reject(new PorticoError('INTERNAL_ERROR', words()));
        });
        waiting.add(go);
      }),
  };
}
