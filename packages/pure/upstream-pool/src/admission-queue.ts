// A fixed number of calls in flight to one server; the rest wait in order. A waiter that gives up leaves the queue, and
// a call whose server waits for a person gives its place to others meanwhile.
import type { AbortSignalLike } from '@portico/async';

export interface Place {
  /** Frees it; does nothing the second time. */
  leave(): void;
  /**
   * Lets another have it until the returned function is called. It is taken back at once, whoever has it then: the
   * server works on the call already.
   */
  lend(): () => void;
}

export interface AdmissionQueue {
  /** A place at once, where one is free. */
  tryEnter(): Place | undefined;
  /** Rejects with the signal's reason when it aborts before there is a place. */
  enter(signal: AbortSignalLike): Promise<Place>;
  readonly inFlight: () => number;
  readonly waiting: () => number;
  /** Resolves when all places were left, those included that are lent. */
  idle(): Promise<void>;
}

export function createAdmissionQueue(limit: number): AdmissionQueue {
  let inFlight = 0;
  let held = 0; // places that were not left
  const waiters = new Set<() => void>();
  const idlers = new Set<() => void>();

  const free = () => {
    const [next] = waiters;
    if (next === undefined || inFlight > limit) {
      inFlight -= 1;
      return;
    }
    waiters.delete(next);
    next();
  };

  class HeldPlace implements Place {
    #isLeft = false;
    #lent = 0;

    leave(): void {
      if (this.#isLeft) return;
      this.#isLeft = true;
      if (this.#lent === 0) free(); // the next that waits has its place at once
      held -= 1;
      if (held > 0) return;
      for (const tell of idlers) tell();
      idlers.clear();
    }

    lend(): () => void {
      this.#lent += 1;
      if (this.#lent === 1 && !this.#isLeft) free();
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        this.#lent -= 1;
        if (this.#lent === 0 && !this.#isLeft) inFlight += 1;
      };
    }
  }

  const hold = (): Place => {
    held += 1;
    return new HeldPlace();
  };

  const tryEnter = (): Place | undefined => {
    if (inFlight >= limit) return undefined;
    inFlight += 1;
    return hold();
  };

  const enter = async (signal: AbortSignalLike): Promise<Place> => {
    signal.throwIfAborted();
    const place = tryEnter();
    if (place !== undefined) return place;
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(hold());
      };
      const giveUp = () => {
        waiters.delete(admit);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiters.add(admit);
    });
  };

  const idle = () => (held === 0 ? Promise.resolve() : new Promise<void>((resolve) => idlers.add(resolve)));
  return { tryEnter, enter, inFlight: () => inFlight, waiting: () => waiters.size, idle };
}
