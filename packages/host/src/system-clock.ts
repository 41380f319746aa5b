// Time as the process has it.
import type { Clock } from '@portico/upstream-pool';

export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  epochMs: () => Date.now(),
  after,
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
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
    }),
});

function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
