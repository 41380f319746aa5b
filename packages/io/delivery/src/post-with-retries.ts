// Tries at one webhook until it is delivered, refused permanently, out of tries or stopped. Never rejects.
import { isWorthRepeating, post, type TryOutcome } from './post.js';
import type { PostRequest } from './post-request.js';
import { createTimeLimit, stopped } from './time-limit.js';

/** Before each repeat, ms: a receiver that is restarted is back within minutes. */
export const defaultDelaysMs: readonly number[] = [1000, 5000, 30_000, 120_000];

export interface PostOptions {
  readonly fetch: typeof fetch;
  /**
   * Pauses before the repeats, each 0.8 to 1.2 times as long, or as long as the receiver asks for; their number is that of
   * the repeats.
   */
  readonly delaysMs: readonly number[];
  /** Limit of one try. */
  readonly timeoutMs: number;
  /** Runs a try when there is a place for it; a pause takes none. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether a pause is over, and not cut short by the end of the service. */
  readonly pause: (ms: number) => Promise<boolean>;
}

export interface Delivery {
  readonly tries: number;
  /** The outcome of the last try. */
  readonly outcome: TryOutcome;
}

/** Aborting the signal ends the request that is going on, and with it the delivery. */
export type PostWithRetries = (request: PostRequest, signal: AbortSignal) => Promise<Delivery>;

export function createPostWithRetries(on: PostOptions): PostWithRetries {
  const limited = createTimeLimit(on.timeoutMs);

  return async (request, signal) => {
    for (let tries = 0; ; tries += 1) {
      const outcome = await on.inTurn(async () =>
        signal.aborted ? undefined : limited((limitedSignal) => post(on.fetch, request, limitedSignal), signal),
      );
      if (outcome === undefined) return { tries, outcome: stopped };
      const delayMs = on.delaysMs[tries];
      if (delayMs === undefined || !isWorthRepeating(outcome)) return { tries: tries + 1, outcome };
      const askedMs = outcome.kind === 'refused' ? (outcome.retryAfterMs ?? 0) : 0;
      const isOver = await on.pause(Math.max(askedMs, delayMs * (0.8 + 0.4 * Math.random())));
      if (!isOver) return { tries: tries + 1, outcome: stopped };
    }
  };
}
