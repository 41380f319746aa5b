// Waiters for the end of a ticket in this process.
import type { AbortSignalLike } from '@portico/async';
import type { Clock } from '@portico/upstream-pool';

export interface Waiters {
  /**
   * Resolves when the id is woken, or when `isOver` says at once that there is nothing to wait for, or after `waitMs`.
   * Rejects with the reason of a signal that aborts first.
   */
  wait(id: string, isOver: () => Promise<boolean>, waitMs: number, signals: readonly AbortSignalLike[]): Promise<void>;
  wake(id: string): void;
  /** Has those who wait for an id, or for any, look again whether it is over. */
  nudge(id: string | undefined): void;
}

/** Whether it is over, as far as the notifier knows. */
type Wake = (isOver: boolean) => void;

export function createWaiters(clock: Clock): Waiters {
  const waiting = new Map<string, Set<Wake>>();

  const enter = (id: string) => {
    let wake: Wake = () => {};
    const woken = new Promise<boolean>((resolve) => {
      wake = resolve;
    });
    const others = waiting.get(id) ?? new Set();
    waiting.set(id, others.add(wake));
    const leave = () => {
      others.delete(wake);
      if (others.size === 0 && waiting.get(id) === others) waiting.delete(id);
    };
    return { woken, leave };
  };

  const wakeAll = (id: string, isOver: boolean) => {
    const woken = waiting.get(id) ?? [];
    waiting.delete(id);
    for (const wake of woken) wake(isOver);
  };

  return {
    async wait(id, isOver, waitMs, signals) {
      const sleep = new AbortController();
      const releases = signals.map((signal) => follow(signal, sleep));
      let timeUp: Promise<true> | undefined;
      try {
        for (let isWoken = false; !isWoken; ) {
          const { woken, leave } = enter(id); // first, so that nothing happens unheard while `isOver` looks
          try {
            if (await (timeUp === undefined ? isOver() : isOver().catch(() => false))) return; // it is looked at again later
            timeUp ??= clock.sleep(waitMs, sleep.signal).then(() => true);
            isWoken = await Promise.race([woken, timeUp]);
          } finally {
            leave();
          }
        }
      } finally {
        for (const release of releases) release();
        timeUp?.catch(() => {}); // notified already, or without a caller
        sleep.abort();
      }
    },
    wake: (id) => wakeAll(id, true),
    nudge(id) {
      for (const each of id === undefined ? [...waiting.keys()] : [id]) wakeAll(each, false);
    },
  };
}

function follow(signal: AbortSignalLike, control: AbortController): () => void {
  const abort = () => control.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
