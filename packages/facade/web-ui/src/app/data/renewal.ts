// When shown data is requested again after changes.
import type { QueryClient } from '@tanstack/react-query';
import { pause } from './pause.js';

/** In place of the name of a query. */
const all = '';

interface RenewalTimes {
  /** Milliseconds between two renewals at least. */
  readonly betweenMs: number;
  /** Milliseconds after which a renewal does not wait for answers to the last one any more. */
  readonly longestMs: number;
}

const usual: RenewalTimes = { betweenMs: 500, longestMs: 15_000 };

/**
 * Returns a function that requests shown data again: the queries of a name, or all. It does so at once and then at most every
 * `betweenMs`, and not before the last answers are there: `invalidateQueries` begins a running request again, and if servers change
 * all the time and answers are slow, none would arrive.
 */
export function createRenewal(
  queries: Pick<QueryClient, 'invalidateQueries'>,
  signal: AbortSignal,
  { betweenMs, longestMs }: RenewalTimes = usual,
): (name?: string) => void {
  const waiting = new Set<string>();
  let isRunning = false;
  const renewAll = async () => {
    isRunning = true;
    while (waiting.size > 0 && !signal.aborted) {
      const names = waiting.has(all) ? [all] : [...waiting];
      waiting.clear();
      const answered = names.map((name) => queries.invalidateQueries(name === all ? {} : { queryKey: [name] }));
      await Promise.all([pause(betweenMs, signal), within(longestMs, Promise.all(answered))]);
    }
    isRunning = false;
  };
  return (name = all) => {
    waiting.add(name);
    if (!isRunning) void renewAll();
  };
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  const isDone = new AbortController();
  await Promise.race([done, pause(ms, isDone.signal)]);
  isDone.abort();
}
