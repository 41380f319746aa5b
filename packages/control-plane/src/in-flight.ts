// The calls that run now, each under its deadline, so that a shutdown can wait for them and then end those that are left.
import { type Clock, type Deadline, type SendDeadline, startDeadline } from '@portico/upstream-pool';

export interface InFlight {
  /** Runs work under a deadline whose signal aborts with the caller's, at the deadline, and at the end of a drain. */
  track<T>(caller: AbortSignal, timeoutMs: number, work: (deadline: SendDeadline) => Promise<T>): Promise<T>;
  /** Waits for all work, for at most `graceMs`; then aborts what is left and waits for it to end. */
  drain(graceMs: number): Promise<void>;
}

export function createInFlight(clock: Clock): InFlight {
  const running = new Map<Deadline, Promise<unknown>>();
  const settled = () => Promise.allSettled(running.values());

  return {
    async track(caller, timeoutMs, work) {
      const deadline = startDeadline(clock, timeoutMs, caller);
      const run = work(deadline);
      running.set(deadline, run);
      try {
        return await run;
      } finally {
        deadline.stop();
        running.delete(deadline);
      }
    },
    async drain(graceMs) {
      const grace = new AbortController();
      await Promise.race([settled(), clock.sleep(graceMs, grace.signal).catch(() => {})]);
      grace.abort();
      for (const deadline of running.keys()) deadline.abort(new Error('the service is stopping'));
      await settled();
    },
  };
}
