// The calls that run now, so that a shutdown can wait for them and then end those that are left.
import type { Clock } from '@portico/upstream-pool';

export interface InFlight {
  /** Runs work under a signal that follows the caller's and is aborted at the end of a drain. */
  track<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Waits for all work, for at most `graceMs`; then aborts what is left and waits for it to end. */
  drain(graceMs: number): Promise<void>;
}

export function createInFlight(clock: Clock): InFlight {
  const running = new Map<Promise<unknown>, AbortController>();
  const settled = () => Promise.allSettled(running.keys());

  return {
    track(caller, work) {
      const control = new AbortController();
      const follow = () => control.abort(caller.reason);
      if (caller.aborted) follow();
      caller.addEventListener('abort', follow, { once: true });
      const run = work(control.signal).finally(() => {
        caller.removeEventListener('abort', follow);
        running.delete(run);
      });
      running.set(run, control);
      return run;
    },
    async drain(graceMs) {
      const grace = new AbortController();
      await Promise.race([settled(), clock.sleep(graceMs, grace.signal).catch(() => {})]);
      grace.abort();
      for (const control of running.values()) control.abort(new Error('the service is stopping'));
      await settled();
    },
  };
}
