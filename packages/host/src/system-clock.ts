// Time as the process has it.
import { type Clock, sleepBy } from '@portico/upstream-pool';

/** Time and timers of this process, for `createUpstreamPool` and other functions that take a clock. */
export const systemClock: Clock = Object.freeze({
  now: () => performance.now(),
  epochMs: () => Date.now(),
  after,
  sleep: sleepBy(after),
});

function after(ms: number, run: () => void): () => void {
  if (ms <= 0) {
    const turn = setImmediate(run); // a timer may be due before anything is read
    return () => clearImmediate(turn);
  }
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
