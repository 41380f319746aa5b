// Tries at one webhook until it is delivered, refused for good, out of tries or stopped. Never rejects.
import { ExponentialBackoff, handleWhenResult, type RetryPolicy, retry } from 'cockatiel';
import { isWorthRepeating, post, type TryOutcome } from './post.js';
import type { PostRequest } from './post-request.js';
import { createTimeLimit, stopped } from './time-limit.js';

const maxTries = 5;

export interface PostOptions {
  readonly fetch: typeof fetch;
  /** First wait before a repeat, roughly: the waits grow exponentially and with jitter, to 30 s at most. */
  readonly initialDelayMs: number;
  /** Limit of one try. */
  readonly timeoutMs: number;
}

export interface Delivery {
  readonly tries: number;
  /** Of the last try. */
  readonly outcome: TryOutcome;
}

/** Aborting the signal ends the request or the wait that is going on, and with it the delivery. */
export type PostWithRetries = (request: PostRequest, signal: AbortSignal) => Promise<Delivery>;

export function createPostWithRetries({ fetch, initialDelayMs, timeoutMs }: PostOptions): PostWithRetries {
  const repeated = createRetry(initialDelayMs);
  const limited = createTimeLimit(timeoutMs);

  return async (request, signal) => {
    let tries = 0;
    const last = repeated.execute(async () => {
      if (signal.aborted) return stopped;
      tries++;
      return limited((limitedSignal) => post(fetch, request, limitedSignal), signal);
    }, signal);
    const outcome = await orStopped(last, signal);
    return { tries, outcome };
  };
}

/** Its timers keep no process alive: cockatiel cannot cut a wait short, so that one may outlive its delivery. */
function createRetry(initialDelayMs: number): RetryPolicy {
  // The policy runs tries only, so that results are outcomes.
  return retry(
    handleWhenResult((outcome) => isWorthRepeating(outcome as TryOutcome)),
    { maxAttempts: maxTries - 1, backoff: new ExponentialBackoff({ initialDelay: initialDelayMs }) },
  ).dangerouslyUnref();
}

/** Resolves at once when the signal is aborted, also in the middle of a wait between two tries. */
function orStopped(last: Promise<TryOutcome>, signal: AbortSignal): Promise<TryOutcome> {
  if (signal.aborted) return Promise.resolve(stopped);
  return new Promise((resolve, reject) => {
    const stop = () => resolve(stopped);
    signal.addEventListener('abort', stop, { once: true });
    last.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
