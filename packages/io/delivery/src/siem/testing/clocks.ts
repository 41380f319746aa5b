// A clock for tests that must not wait, and what a test of waiting sees of a clock. For tests only.
import { setImmediate } from 'node:timers/promises';
import { type Counter, createCounter } from '../../testing/counter.js';
import type { SiemClock } from '../siem-clock.js';

export interface Watch {
  /** All that was asked for, in milliseconds. */
  readonly sleeps: readonly number[];
  readonly slept: Counter;
}

/** The time of day, but sleeping takes no time. */
export function createSleeplessClock(): SiemClock & Watch {
  return watchClock({
    epochMs: () => Date.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    sleep: (_, signal) => setImmediate(undefined, { ...(signal && { signal }) }),
  });
}

export function watchClock<C extends SiemClock>(clock: C): C & Watch {
  const sleeps: number[] = [];
  const slept = createCounter();
  return {
    ...clock,
    sleeps,
    slept,
    sleep(ms, signal) {
      sleeps.push(ms);
      const asleep = clock.sleep(ms, signal);
      slept.add();
      return asleep;
    },
  };
}
