// What runs now: each under its deadline, found again by its request id, and waited for at the end of the service.
import { type Clock, type Deadline, type SendDeadline, startDeadline } from '@portico/upstream-pool';

/** The reason of a signal that aborted since the caller, or an operator for it, cancelled the operation. */
export class OperationCancelled extends Error {}

/** The reason of a signal that aborted since the service ends. */
export class ServiceStopping extends Error {}

export interface OperationIdentity {
  readonly principal: string;
  /** Null for what cannot be cancelled by id. */
  readonly requestId: string | null;
  /** The idempotency key in force; null for none. */
  readonly key: string | null;
  readonly isKeyGiven: boolean;
}

export interface Operation extends SendDeadline {
  /** Ends the work before its time. It may go on when the operation has ended: what it has sent is parked then. */
  abort(reason: unknown): void;
  /**
   * Stops the deadline until the returned function is called, since a person is waited for. The end of the service does
   * not wait for it.
   */
  hold(): () => void;
}

export interface Operations {
  /** Whether another operation in flight has the same request id and is not a repeat of the same request. */
  hasConflict(identity: OperationIdentity): boolean;
  /**
   * Runs work under a deadline (none for null) whose signal also aborts with the parent's, by a cancel, and at the end
   * of a drain.
   */
  run<T>(
    identity: OperationIdentity,
    timeoutMs: number | null,
    parent: AbortSignal | undefined,
    work: (operation: Operation) => Promise<T>,
  ): Promise<T>;
  /** Cancels what a principal has in flight under a request id. Whether there was anything. */
  cancel(principal: string, requestId: string): boolean;
  /** Ends what waits for people, waits for the rest for at most `graceMs`, then aborts what is left and waits for it. */
  drain(graceMs: number): Promise<void>;
}

interface Running {
  readonly identity: OperationIdentity;
  readonly deadline: Deadline;
  /** How many things in it wait for a person. */
  held: number;
  ended: Promise<unknown>;
}

/** The longest time a timer takes. */
const longestMs = 2_147_483_647;

export function createOperations(clock: Clock): Operations {
  const running = new Set<Running>();
  const byRequest = new Map<string, Set<Running>>();
  const settled = () => Promise.allSettled([...running].map(({ ended }) => ended));
  const withId = (principal: string, requestId: string) => [...(byRequest.get(nameOf(principal, requestId)) ?? [])];

  const enter = (entry: Running) => {
    running.add(entry);
    const { principal, requestId } = entry.identity;
    if (requestId === null) return;
    const name = nameOf(principal, requestId);
    byRequest.set(name, (byRequest.get(name) ?? new Set()).add(entry));
  };
  const leave = (entry: Running) => {
    running.delete(entry);
    const { principal, requestId } = entry.identity;
    if (requestId === null) return;
    const name = nameOf(principal, requestId);
    const others = byRequest.get(name);
    others?.delete(entry);
    if (others?.size === 0) byRequest.delete(name);
  };

  return {
    hasConflict({ principal, requestId, key, isKeyGiven }) {
      if (requestId === null || isKeyGiven) return false;
      return withId(principal, requestId).some(({ identity }) => key === null || identity.key !== key);
    },
    async run(identity, timeoutMs, parent, work) {
      const deadline = startDeadline(clock, timeoutMs ?? longestMs, parent);
      if (timeoutMs === null) deadline.pause();
      const entry: Running = { identity, deadline, held: 0, ended: Promise.resolve() };
      const hold = () => {
        entry.held += 1;
        deadline.pause();
        return once(() => {
          entry.held -= 1;
          if (entry.held === 0 && timeoutMs !== null) deadline.resume();
        });
      };
      const operation: Operation = {
        signal: deadline.signal,
        get atMs() {
          return deadline.atMs;
        },
        abort: deadline.abort,
        hold,
      };
      const run = work(operation);
      entry.ended = run;
      enter(entry);
      try {
        return await run;
      } finally {
        deadline.stop();
        leave(entry);
      }
    },
    cancel(principal, requestId) {
      const found = withId(principal, requestId);
      for (const { deadline } of found) deadline.abort(new OperationCancelled('the operation was cancelled'));
      return found.length > 0;
    },
    async drain(graceMs) {
      const stopping = new ServiceStopping('the service is stopping');
      for (const { held, deadline } of running) if (held > 0) deadline.abort(stopping);
      const grace = new AbortController();
      await Promise.race([settled(), clock.sleep(graceMs, grace.signal).catch(() => {})]);
      grace.abort();
      for (const { deadline } of running) deadline.abort(stopping);
      await settled();
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

function nameOf(principal: string, requestId: string): string {
  return JSON.stringify([principal, requestId]);
}
