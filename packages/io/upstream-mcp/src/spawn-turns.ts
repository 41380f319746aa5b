// Children are started one after the other: Node starts a process in the thread of the loop, and the process then wants
// a core: many starts at once would delay other work, such as the first requests after a start.
import { setImmediate, setTimeout } from 'node:timers/promises';

export interface SpawnTurns {
  /** Resolves when it is the caller's turn, in the order of the calls. */
  next(): Promise<void>;
  /** Gives no turn for this long, but those that were given before. */
  defer(ms: number): void;
}

/** One start that takes very long, on a machine without memory, does not delay the others by the same time. */
const longestPauseMs = 50;

/** After each turn the event loop is free for other work as long as the turn has taken. */
export function createSpawnTurns(): SpawnTurns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    next() {
      const own = last.then(() => {});
      last = own.then(async () => {
        const begunAtMs = performance.now();
        await setImmediate();
        const tookMs = performance.now() - begunAtMs;
        if (tookMs >= 1) await setTimeout(Math.min(tookMs, longestPauseMs));
      });
      return own;
    },
    defer(ms) {
      last = Promise.all([last, setTimeout(ms)]);
    },
  };
}
