// A fixed number of calls in flight to one server. The rest wait, and principals take turns; where several are told apart,
// none has all places. A waiter that gives up leaves the queue, and a call whose server waits for a person lends its permit.
import { type AbortSignalLike, type Waiter, WaitingLines } from '@portico/async';

export interface Permit {
  /** Frees it; does nothing the second time. */
  release(): void;
  /**
   * Lets another have it until the returned function is called. It is taken back at once, whoever has it then: the
   * server works on the call already.
   */
  lend(): () => void;
}

/** Whose a request is. It is looked at only where few places are free; those of none are one principal. */
export interface PermitOwner {
  readonly principal?: string | undefined;
}

export interface AdmissionOptions {
  /** How many of one principal may wait; any number by default. */
  readonly maxWaiting?: (() => number) | undefined;
  /** Whether each principal leaves places for others, as it is at that moment; none does by default. */
  readonly isShared?: (() => boolean) | undefined;
}

export interface AdmissionQueue {
  /** A permit at once, where one is free for its principal. */
  tryEnter(owner?: PermitOwner): Permit | undefined;
  /**
   * Rejects with the signal's reason when it aborts before there is a permit, and with QueueFull where too many of the
   * principal wait. Principals take turns.
   */
  enter(signal: AbortSignalLike, owner?: PermitOwner): Promise<Permit>;
  readonly inFlight: () => number;
  readonly waiting: () => number;
  /** Resolves when all permits were released, those included that are lent. */
  idle(): Promise<void>;
}

/** A principal has at most so many times the places that stay free: seven eighths of them while no other has any. */
const timesFree = 7;

const nobody: PermitOwner = {};

export function createAdmissionQueue(limit: number, options: AdmissionOptions = {}): AdmissionQueue {
  const { maxWaiting = () => Number.POSITIVE_INFINITY, isShared = () => false } = options;
  /** With fewer in flight there is room for whoever comes. */
  const ample = Math.floor((limit * timesFree) / (timesFree + 1));
  let inFlight = 0;
  const permits: HeldPermit[] = []; // those that were not released, in no order
  const lines = new WaitingLines(maxWaiting);
  const idlers = new Set<() => void>();

  /** Whether the next free place may be its. Counted by looking at all, so that a call with ample room costs nothing. */
  const mayTake = (principal: string): boolean => {
    if (inFlight < ample || !isShared()) return true;
    let held = 0;
    for (const permit of permits) if (permit.isUsedBy(principal)) held += 1;
    return held === 0 || held < timesFree * (limit - inFlight - 1);
  };

  const free = () => {
    inFlight -= 1;
    if (lines.size > 0) admitWaiting();
  };

  const admitWaiting = () => {
    while (inFlight < limit) {
      const next = lines.shift(mayTake);
      if (next === undefined) return;
      inFlight += 1;
      next.admit();
    }
  };

  class HeldPermit implements Permit {
    readonly #owner: PermitOwner;
    /** Where it is in the list. */
    at = permits.length;
    #isReleased = false;
    #lent = 0;

    constructor(owner: PermitOwner) {
      this.#owner = owner;
      permits.push(this);
    }

    isUsedBy(principal: string): boolean {
      return this.#lent === 0 && (this.#owner.principal ?? '') === principal;
    }

    release(): void {
      if (this.#isReleased) return;
      this.#isReleased = true;
      const last = permits.pop();
      if (last !== undefined && last !== this) {
        permits[this.at] = last;
        last.at = this.at;
      }
      if (this.#lent === 0) free(); // the next that waits has its permit at once
      if (permits.length > 0) return;
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

  const tryEnter = (owner = nobody): Permit | undefined => {
    if (inFlight >= limit || (inFlight >= ample && !mayTake(owner.principal ?? ''))) return undefined;
    inFlight += 1;
    return new HeldPermit(owner);
  };

  const enter = async (signal: AbortSignalLike, owner = nobody): Promise<Permit> => {
    signal.throwIfAborted();
    return tryEnter(owner) ?? waitInLine(lines, owner, signal, (its) => new HeldPermit(its));
  };

  const idle = () => (permits.length === 0 ? Promise.resolve() : new Promise<void>((resolve) => idlers.add(resolve)));
  return { tryEnter, enter, inFlight: () => inFlight, waiting: () => lines.size, idle };
}

/** Rejects with QueueFull, or with the reason of the signal. */
function waitInLine(
  lines: WaitingLines,
  owner: PermitOwner,
  signal: AbortSignalLike,
  hold: (owner: PermitOwner) => Permit,
): Promise<Permit> {
  return new Promise((resolve, reject) => {
    const waiter: Waiter = {
      principal: owner.principal ?? '',
      admit() {
        signal.removeEventListener('abort', giveUp);
        resolve(hold(owner));
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
