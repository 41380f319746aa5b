// Those who wait for a ticket to come to its end in this process.
import type { Clock } from '@portico/upstream-pool';

export interface Waiters {
  /**
   * Resolves when the id is woken, or when `isOver` says at once that there is nothing to wait for, or after `waitMs`.
   * Rejects with the reason of a signal that aborts first.
   */
  wait(id: string, isOver: () => Promise<boolean>, waitMs: number, signals: readonly AbortSignal[]): Promise<void>;
  wake(id: string): void;
}

export function createWaiters(clock: Clock): Waiters {
  const waiting = new Map<string, Set<() => void>>();

  const enter = (id: string) => {
    let wake: () => void = () => {};
    const woken = new Promise<void>((resolve) => {
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

  return {
    async wait(id, isOver, waitMs, signals) {
      const { woken, leave } = enter(id); // first, so that nothing happens unheard while `isOver` looks
      const sleep = new AbortController();
      const releases = signals.map((signal) => follow(signal, sleep));
      try {
        if (!(await isOver())) await Promise.race([woken, clock.sleep(waitMs, sleep.signal)]);
      } finally {
        leave();
        for (const release of releases) release();
        sleep.abort();
      }
    },
    wake(id) {
      const woken = waiting.get(id) ?? [];
      waiting.delete(id);
      for (const wake of woken) wake();
    },
  };
}

function follow(signal: AbortSignal, control: AbortController): () => void {
  const abort = () => control.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
