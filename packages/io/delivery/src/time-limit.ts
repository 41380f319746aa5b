// One request under a time limit, which also ends it when fetch ignores its signal. Never rejects.
import { TaskCancelledError, TimeoutStrategy, timeout } from 'cockatiel';
import { toUnanswered, type Unanswered } from './post.js';

/** The answer to the request, or why it got none; aborting the signal ends it. */
export type TimeLimit = <T>(
  request: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
) => Promise<T | Unanswered>;

export const stopped: Unanswered = { kind: 'unanswered', reason: 'the sender was closed', isFinal: true };

export function createTimeLimit(timeoutMs: number): TimeLimit {
  const limited = timeout(timeoutMs, TimeoutStrategy.Aggressive);

  return async (request, signal) => {
    try {
      return await limited.execute((context) => request(context.signal), signal);
    } catch (error) {
      if (!isAborted(error)) return toUnanswered(error);
      if (signal.aborted) return stopped;
      return { kind: 'unanswered', reason: `no answer within ${timeoutMs} ms`, isFinal: false };
    }
  };
}

/** `isTaskCancelledError` of cockatiel 3.2.1 looks for the mark of another class. */
function isAborted(error: unknown): boolean {
  return error instanceof TaskCancelledError || (error instanceof Error && error.name === 'AbortError');
}
