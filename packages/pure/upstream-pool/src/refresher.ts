// Runs a refresh when it is asked for: at once, one at a time, and with growing pauses for those who ask without end.
import type { AbortSignalLike } from '@portico/async';
import type { Clock } from './clock.js';

const firstPauseMs = 50;
const maxPauseMs = 30_000;

export interface Refresher {
  request(): void;
  /** Begins to carry out requests, those made before included. */
  start(): void;
}

/**
 * Requests that come during a refresh, or in the pause behind it, make one more run after the pause. The pause doubles
 * from 50 ms to 30 s as long as they do. The signal ends it all.
 */
export function createRefresher(
  clock: Clock,
  refresh: () => Promise<void>,
  onError: (error: unknown) => void,
  signal: AbortSignalLike,
): Refresher {
  let started = false;
  let wanted = false;
  let running = false;

  const run = async () => {
    if (running || !started) return;
    running = true;
    for (let pauseMs = firstPauseMs; wanted && !signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      wanted = false;
      await refresh().catch(onError);
      await clock.sleep(pauseMs, signal).catch(() => {}); // aborted: the loop sees it
    }
    running = false;
  };

  return {
    request() {
      wanted = true;
      void run();
    },
    start() {
      started = true;
      void run();
    },
  };
}
