// A fixed number of calls in flight to one server. The rest wait, and principals take turns; where there are several,
// none has all places. A waiter that gives up leaves the queue. A call lends its permit while it waits for an answer of its
// caller, or for a process of its server.
import { type AbortSignalLike, type Waiter, WaitingLines } from '@portico/async';

/** The holder of a permit: a call is its own, which saves an object. */
export interface PermitHolder {
  /** The principal it belongs to; read only where few permits are free. Requests without one share a principal. */
  readonly principal?: string | undefined;
  /** Where it is among those that hold one; `noPermit` for one that does not. The queue alone changes it. */
  permitAt: number;
  /** How many have its permit lent. The queue alone changes it. */
  lent: number;
}

export const noPermit = -1;

/** One that holds none yet. */
export function permitHolder(principal?: string): PermitHolder {
  return { principal, permitAt: noPermit, lent: 0 };
}

export interface AdmissionOptions {
  /** How many of one principal may wait; any number by default. */
  readonly maxWaiting?: (() => number) | undefined;
  /** Whether each principal leaves places for others, as it is at that moment; none does by default. */
  readonly isShared?: (() => boolean) | undefined;
}

export interface AdmissionQueue {
  /** Gives a permit at once, where one is free for its principal. Whether it has one now. */
  tryEnter(holder: PermitHolder): boolean;
  /**
   * Resolves when it has a permit. Rejects with the signal's reason when it aborts before, and with QueueFull where too
   * many of the principal wait. Principals take turns.
   */
  enter(holder: PermitHolder, signal: AbortSignalLike): Promise<void>;
  /** Frees its permit; does nothing for one that has none. */
  leave(holder: PermitHolder): void;
  /**
   * Lets another have its permit until the returned function is called. Then it counts again at once, also beyond the
   * limit: the server works on the call already.
   */
  lend(holder: PermitHolder): () => void;
  readonly inFlight: () => number;
  readonly waiting: () => number;
  /** Resolves when all permits were released, those included that are lent. */
  idle(): Promise<void>;
}

/** A principal has at most this many times the places that stay free: seven eighths of them while no other has any. */
const timesFree = 7;

/** Creates a queue that lets `limit` calls run at a time and shares waiting fairly among principals. */
export function createAdmissionQueue(limit: number, options: AdmissionOptions = {}): AdmissionQueue {
  const { maxWaiting = () => Number.POSITIVE_INFINITY, isShared = () => false } = options;
  const ample = Math.floor((limit * timesFree) / (timesFree + 1)); // with fewer in flight there is room for any call
  let inFlight = 0;
  const holders: (PermitHolder | undefined)[] = []; // in no order; `pop` on the last would free its store each time
  let held = 0; // at the beginning of the list
  const lines = new WaitingLines(maxWaiting);
  const idlers = new Set<() => void>();

  /** Whether the next free place may be its. Counted by looking at all, so that a call with ample room costs nothing. */
  const mayTake = (principal: string): boolean => {
    if (inFlight < ample || !isShared()) return true;
    const taken = countOf(holders, principal);
    return taken === 0 || taken < timesFree * (limit - inFlight - 1);
  };

  const admitWaiting = () => {
    while (lines.size > 0 && inFlight < limit) {
      const next = lines.shift(mayTake);
      if (next === undefined) return;
      inFlight += 1;
      next.admit();
    }
  };

  const tryEnter = (holder: PermitHolder): boolean => {
    if (inFlight >= limit || (inFlight >= ample && !mayTake(holder.principal ?? ''))) return false;
    inFlight += 1;
    holder.permitAt = held;
    holders[held] = holder;
    held += 1;
    return true;
  };

  /** Rejects with QueueFull, or with the reason of the signal. */
  const waitInLine = (holder: PermitHolder, signal: AbortSignalLike): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter: Waiter = {
        principal: holder.principal ?? '',
        admit() {
          signal.removeEventListener('abort', giveUp);
          holder.permitAt = held;
          holders[held] = holder;
          held += 1;
          resolve();
        },
      };
      const giveUp = () => {
        lines.delete(waiter);
        reject(signal.reason);
      };
      lines.add(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
    });

  return {
    tryEnter,
    async enter(holder, signal) {
      signal.throwIfAborted();
      if (!tryEnter(holder)) await waitInLine(holder, signal);
    },
    leave(holder) {
      const at = holder.permitAt;
      if (at === noPermit) return;
      held -= 1;
      const last = holders[held] ?? holder;
      last.permitAt = at;
      holders[at] = last;
      holders[held] = undefined;
      holder.permitAt = noPermit;
      if (holder.lent === 0) {
        inFlight -= 1;
        if (lines.size > 0) admitWaiting(); // the next that waits has its permit at once
      }
      if (held > 0 || idlers.size === 0) return;
      for (const onIdle of idlers) onIdle();
      idlers.clear();
    },
    lend(holder) {
      holder.lent += 1;
      if (holder.lent === 1 && holder.permitAt !== noPermit) {
        inFlight -= 1;
        admitWaiting();
      }
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        holder.lent -= 1;
        if (holder.lent === 0 && holder.permitAt !== noPermit) inFlight += 1;
      };
    },
    inFlight: () => inFlight,
    waiting: () => lines.size,
    idle: () => (held === 0 ? Promise.resolve() : new Promise<void>((resolve) => idlers.add(resolve))),
  };
}

/** Permits that a principal has and has not lent. */
function countOf(holders: readonly (PermitHolder | undefined)[], principal: string): number {
  let count = 0;
  for (const holder of holders) if (holder?.lent === 0 && (holder.principal ?? '') === principal) count += 1;
  return count;
}
