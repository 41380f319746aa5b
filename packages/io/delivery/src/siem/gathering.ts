// When a batch is worth reading: enough records wait, or the first of them has waited long enough. Reads nothing.
import type { SiemClock } from './siem-clock.js';

export interface GatheringOptions {
  /** Records that are kept and not sent. */
  readonly waiting: () => number;
  readonly maxBatchSize: number;
  readonly flushIntervalMs: number;
  readonly clock: SiemClock;
}

export interface Gathering {
  /** To be called after records were kept. */
  kept(): void;
  /** All that was kept so far has been read; what comes now waits for more again. */
  taken(): void;
  /** From now on nothing waits for more. */
  hurry(): void;
  /** True when there is something to read; false when nothing waits and there is no time left to wait for it. */
  untilReady(): Promise<boolean>;
}

export function createGathering({ waiting, maxBatchSize, flushIntervalMs, clock }: GatheringOptions): Gathering {
  let isDue = true; // what was there before has waited long enough
  let isHurried = false;
  let cancelTimer: (() => void) | undefined;
  let wake = () => {};

  function taken(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    isDue = false;
  }

  function startTimer(): void {
    if (isDue || isHurried || cancelTimer !== undefined) return;
    cancelTimer = clock.after(flushIntervalMs, () => {
      cancelTimer = undefined;
      isDue = true;
      wake();
    });
  }

  return {
    kept() {
      startTimer();
      wake();
    },
    taken,
    hurry() {
      taken();
      isHurried = true;
      wake();
    },
    async untilReady() {
      for (;;) {
        const count = waiting();
        if (count >= maxBatchSize || (count > 0 && (isDue || isHurried))) return true;
        if (isHurried) return false;
        if (count <= 0) taken();
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
