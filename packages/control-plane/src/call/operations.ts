// The operations in progress: each under its deadline, found by its request id, and awaited at the end of the service.
import { type AbortSignalLike, type Linked, LinkedSet } from '@portico/async';
import { type Clock, createDeadlines, type Deadline, type Extension, type SendDeadline } from '@portico/upstream-pool';

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
  /** Gives it more time. */
  extend(extension: Extension): void;
  /**
   * Stops the deadline until the returned function is called, since a person is waited for. The end of the service does
   * not wait for it.
   */
  hold(): () => void;
}

/** An operation of one's own: end it once its work is over. */
export interface OpenOperation extends Operation {
  end(): void;
}

export interface Operations {
  /** Whether another operation in flight has the same request id and is not a repeat of the same request. */
  hasConflict(identity: OperationIdentity): boolean;
  /**
   * Begins an operation under a deadline (none for null) whose signal also aborts with the parent's, by a cancel, and at
   * the end of a drain.
   */
  begin(identity: OperationIdentity, timeoutMs: number | null, parent: AbortSignalLike | undefined): OpenOperation;
  /** `begin` around one piece of work. */
  run<T>(
    identity: OperationIdentity,
    timeoutMs: number | null,
    parent: AbortSignalLike | undefined,
    work: (operation: Operation) => Promise<T>,
  ): Promise<T>;
  /** Cancels what a principal has in flight under a request id. Whether there was anything. */
  cancel(principal: string, requestId: string): boolean;
  /** Ends what waits for people, waits for the rest for at most `graceMs`, then aborts what is left and waits for it. */
  drain(graceMs: number): Promise<void>;
}

/** The longest time a timer takes. */
const longestMs = 2_147_483_647;

/** All that run, and those that have a request id by its name. */
interface Running {
  readonly all: LinkedSet<RunningOperation>;
  readonly byRequest: Map<string, Set<RunningOperation>>;
}

class RunningOperation implements OpenOperation, Linked<RunningOperation> {
  readonly identity: OperationIdentity;
  readonly signal: AbortSignalLike;
  readonly #deadline: Deadline;
  readonly #hasDeadline: boolean;
  readonly #running: Running;
  before: RunningOperation | undefined;
  after: RunningOperation | undefined;
  /** How many things in it wait for a person. */
  #held = 0;
  #onEnd: (() => void)[] | undefined;

  constructor(running: Running, identity: OperationIdentity, deadline: Deadline, hasDeadline: boolean) {
    this.identity = identity;
    this.signal = deadline.signal;
    this.#deadline = deadline;
    this.#hasDeadline = hasDeadline;
    this.#running = running;
    running.all.add(this);
    if (identity.requestId !== null) this.#enter(nameOf(identity.principal, identity.requestId));
    if (!hasDeadline) deadline.pause();
  }

  get atMs(): number {
    return this.#deadline.atMs;
  }

  get principal(): string {
    return this.identity.principal;
  }

  get isHeld(): boolean {
    return this.#held > 0;
  }

  abort(reason: unknown): void {
    this.#deadline.abort(reason);
  }

  extend(extension: Extension): void {
    if (this.#hasDeadline) this.#deadline.extend(extension);
  }

  hold(): () => void {
    this.#held += 1;
    this.#deadline.pause();
    return once(() => {
      this.#held -= 1;
      if (this.#held === 0 && this.#hasDeadline) this.#deadline.resume();
    });
  }

  end(): void {
    const { principal, requestId } = this.identity;
    this.#deadline.stop();
    this.#running.all.delete(this);
    if (requestId !== null) this.#leave(nameOf(principal, requestId));
    if (this.#onEnd !== undefined) for (const onEnd of this.#onEnd) onEnd();
  }

  #enter(name: string): void {
    const { byRequest } = this.#running;
    byRequest.set(name, (byRequest.get(name) ?? new Set()).add(this));
  }

  #leave(name: string): void {
    const { byRequest } = this.#running;
    const others = byRequest.get(name);
    others?.delete(this);
    if (others?.size === 0) byRequest.delete(name);
  }

  /** Resolves when it has ended. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEnd = [...(this.#onEnd ?? []), resolve];
    });
  }
}

export function createOperations(clock: Clock): Operations {
  const all = new LinkedSet<RunningOperation>();
  const byRequest = new Map<string, Set<RunningOperation>>();
  const running: Running = { all, byRequest };
  const startDeadline = createDeadlines(clock);
  const settled = () => Promise.all(all.all().map((operation) => operation.ended()));
  const withId = (principal: string, requestId: string) => [...(byRequest.get(nameOf(principal, requestId)) ?? [])];

  const begin: Operations['begin'] = (identity, timeoutMs, parent) =>
    new RunningOperation(running, identity, startDeadline(timeoutMs ?? longestMs, parent), timeoutMs !== null);

  return {
    hasConflict({ principal, requestId, key, isKeyGiven }) {
      if (requestId === null || isKeyGiven) return false;
      return withId(principal, requestId).some(({ identity }) => key === null || identity.key !== key);
    },
    begin,
    async run(identity, timeoutMs, parent, work) {
      const operation = begin(identity, timeoutMs, parent);
      try {
        return await work(operation);
      } finally {
        operation.end();
      }
    },
    cancel(principal, requestId) {
      const found = withId(principal, requestId);
      for (const operation of found) operation.abort(new OperationCancelled('the operation was cancelled'));
      return found.length > 0;
    },
    async drain(graceMs) {
      const stopping = new ServiceStopping('the service is stopping');
      for (const operation of all.all()) if (operation.isHeld) operation.abort(stopping);
      const grace = new AbortController();
      await Promise.race([settled(), clock.sleep(graceMs, grace.signal).catch(() => {})]);
      grace.abort();
      for (const operation of all.all()) operation.abort(stopping);
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
