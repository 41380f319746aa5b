// A clock that only moves on request. For tests, and for embedders that keep a time of their own.
import { type Clock, sleepBy } from './clock.js';

export interface ManualClock extends Clock {
  /**
   * Moves time forward by `ms`. Sleepers wake in the order they are due, each at its own moment, and promises settle
   * before the next one wakes. `advance(0)` just lets promises settle.
   */
  advance(ms: number): Promise<void>;
  /** How many sleepers wait now; 0 means that nothing was left behind. */
  sleeping(): number;
}

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** Longer than any chain of promises between two sleeps; a turn costs next to nothing. */
const turnsToSettle = 200;

/**
 * Creates a clock that moves only on request, for tests.
 * @param epochMs what `epochMs()` gives before time moves, milliseconds since the Unix epoch; `now()` starts at 0
 */
export function createManualClock(epochMs = 0): ManualClock {
  let nowMs = 0;
  const sleepers = new Set<Sleeper>();

  const after = (ms: number, run: () => void): (() => void) => {
    const sleeper: Sleeper = { dueMs: nowMs + ms, wake: run };
    sleepers.add(sleeper);
    return () => sleepers.delete(sleeper);
  };

  const advance = async (ms: number): Promise<void> => {
    const untilMs = nowMs + ms;
    await settle();
    for (let next = firstDue(sleepers, untilMs); next !== undefined; next = firstDue(sleepers, untilMs)) {
      nowMs = Math.max(nowMs, next.dueMs);
      sleepers.delete(next);
      next.wake();
      await settle();
    }
    nowMs = untilMs;
  };

  return {
    now: () => nowMs,
    epochMs: () => epochMs + nowMs,
    after,
    sleep: sleepBy(after),
    advance,
    sleeping: () => sleepers.size,
  };
}

/** The sleeper that began first among those due at one moment. */
function firstDue(sleepers: ReadonlySet<Sleeper>, untilMs: number): Sleeper | undefined {
  let first: Sleeper | undefined;
  for (const sleeper of sleepers) {
    if (sleeper.dueMs <= untilMs && (first === undefined || sleeper.dueMs < first.dueMs)) first = sleeper;
  }
  return first;
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < turnsToSettle; turn++) await undefined;
}
