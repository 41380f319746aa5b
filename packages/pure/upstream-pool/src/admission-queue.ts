// A fixed number of calls in flight to one server; the rest wait, and principals take turns. A waiter that gives up leaves the queue, and
// a call whose server waits for a person lends its permit to others.
import type { AbortSignalLike } from '@portico/async';
import { type Waiter, WaitingLines } from './waiting-lines.js';

export interface Permit {
  /** Frees it; does nothing the second time. */
  release(): void;
  /**
   * Lets another have it until the returned function is called. It is taken back at once, whoever has it then: the
   * server works on the call already.
   */
  lend(): () => void;
}

export interface AdmissionQueue {
  /** A permit at once, where one is free. */
  tryEnter(): Permit | undefined;
  /**
   * Rejects with the signal's reason when it aborts before there is a permit, and with QueueFull where too many of the
   * principal wait. Principals take turns; those of none share one.
   */
  enter(signal: AbortSignalLike, principal?: string): Promise<Permit>;
  readonly inFlight: () => number;
  readonly waiting: () => number;
  /** Resolves when all permits were released, those included that are lent. */
  idle(): Promise<void>;
}

/** @param maxWaiting how many of one principal may wait; any number by default */
export function createAdmissionQueue(limit: number, maxWaiting = () => Number.POSITIVE_INFINITY): AdmissionQueue {
  let inFlight = 0;
  let held = 0; // permits that were not released
  const lines = new WaitingLines(maxWaiting);
  const idlers = new Set<() => void>();

  const free = () => {
    const next = lines.size === 0 || inFlight > limit ? undefined : lines.shift();
    if (next === undefined) inFlight -= 1;
    else next.admit();
  };

  class HeldPermit implements Permit {
    #isReleased = false;
    #lent = 0;

    release(): void {
      if (this.#isReleased) return;
      this.#isReleased = true;
      if (this.#lent === 0) free(); // the next that waits has its permit at once
      held -= 1;
      if (held > 0) return;
      for (const tell of idlers) tell();
      idlers.clear();
    }

    lend(): () => void {
      this.#lent += 1;
      if (this.#lent === 1 && !this.#isReleased) free();
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        this.#lent -= 1;
        if (this.#lent === 0 && !this.#isReleased) inFlight += 1;
      };
    }
  }

  const hold = (): Permit => {
    held += 1;
    return new HeldPermit();
  };

  const tryEnter = (): Permit | undefined => {
    if (inFlight >= limit) return undefined;
    inFlight += 1;
    return hold();
  };

  const enter = async (signal: AbortSignalLike, principal = ''): Promise<Permit> => {
    signal.throwIfAborted();
    return tryEnter() ?? waitInLine(lines, principal, signal, hold);
  };

  const idle = () => (held === 0 ? Promise.resolve() : new Promise<void>((resolve) => idlers.add(resolve)));
  return { tryEnter, enter, inFlight: () => inFlight, waiting: () => lines.size, idle };
}

/** Rejects with QueueFull, or with the reason of the signal. */
function waitInLine(
  lines: WaitingLines,
  principal: string,
  signal: AbortSignalLike,
  hold: () => Permit,
): Promise<Permit> {
  return new Promise((resolve, reject) => {
    const waiter: Waiter = {
      principal,
      admit() {
        signal.removeEventListener('abort', giveUp);
        resolve(hold());
      },
    };
    const giveUp = () => {
      lines.delete(waiter);
      reject(signal.reason);
    };
    lines.add(waiter);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
