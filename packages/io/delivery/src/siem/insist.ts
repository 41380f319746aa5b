// Makes a step again and again until it succeeds, with growing waits. Only the end of the service stops it.
import { backoffMs } from './backoff.js';
import type { SiemClock } from './siem-clock.js';

/** Why a step has to be made again. */
export interface Setback {
  readonly reason: string;
  /** Undefined: again at once. */
  readonly minWaitMs: number | undefined;
}

/** An exception counts as a setback. Resolves with false when there was no time left for another try. */
export type Insist = (step: () => Promise<Setback | null>) => Promise<boolean>;

export interface InsistOptions {
  readonly clock: SiemClock;
  readonly randomUnit: () => number;
  readonly onSetback: (reason: string) => void;
  /** Aborted: no more waits, so that each step has one more try. */
  readonly finishing: AbortSignal;
  /** Aborted: no more tries. */
  readonly givingUp: AbortSignal;
}

export function createInsist({ clock, randomUnit, onSetback, finishing, givingUp }: InsistOptions): Insist {
  return async (step) => {
    for (let failures = 1; ; failures++) {
      const isLast = finishing.aborted;
      const setback = await step().catch(toSetback);
      if (setback === null) return true;
      onSetback(setback.reason);
      const { minWaitMs } = setback;
      if (givingUp.aborted || (isLast && minWaitMs !== undefined)) return false;
      if (minWaitMs === undefined) continue;
      // Rejects when it is cut short, which is when the last try is due.
      await clock.sleep(Math.max(minWaitMs, backoffMs(failures, randomUnit())), finishing).catch(() => {});
    }
  };
}

function toSetback(error: unknown): Setback {
  return { reason: messageOf(error), minWaitMs: 0 };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'an unknown error';
}
