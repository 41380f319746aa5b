// Decides whether a server needs to run. An eager one is always needed; a lazy one while it is in use, and for a while
// after.
import type { AbortSignalLike } from '@portico/async';
import type { Lifecycle } from '@portico/contracts';
import type { Clock } from './clock.js';

export interface Usage {
  /** Needs the server until the returned function is called. */
  add(): () => void;
  /** Needs the server until `end`, which is called once for each. */
  begin(): void;
  end(): void;
  isNeeded(): boolean;
  /** Resolves once something needs the server; rejects with the signal's reason. */
  arises(signal: AbortSignalLike): Promise<void>;
  /**
   * Asks `stop` when nothing has needed the server for the time that it is kept without use, and again after as long a
   * time, until that says yes; never for an eager one. It is asked in a turn in which nothing needs the server, and what
   * it does is done before anything can. Rejects with the signal's reason.
   */
  ends(stop: () => boolean, signal: AbortSignalLike): Promise<void>;
  /** From now on it runs as this says. */
  follow(lifecycle: Lifecycle): void;
}

export function createUsage(clock: Clock, initial: Lifecycle): Usage {
  let lifecycle = initial;
  let uses = 0;
  const listeners = new Set<() => void>();
  const isNeeded = () => lifecycle.kind === 'eager' || uses > 0;
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };

  /** Has `look` look now and after every change, until it is done or the signal aborts. */
  const watching = (signal: AbortSignalLike, look: (done: () => void) => () => void): Promise<void> =>
    new Promise((resolve, reject) => {
      let cancel = () => {};
      const end = () => {
        cancel();
        listeners.delete(again);
        signal.removeEventListener('abort', giveUp);
      };
      const done = () => {
        end();
        resolve();
      };
      const giveUp = () => {
        end();
        reject(signal.reason);
      };
      const again = () => {
        cancel();
        cancel = look(done);
      };
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      listeners.add(again);
      again();
    });

  // For an eager one these mean nothing: it is needed before and after.
  const begin = () => {
    uses += 1;
    if (uses === 1 && lifecycle.kind === 'lazy') notify();
  };
  const end = () => {
    uses -= 1;
    if (uses === 0 && lifecycle.kind === 'lazy') notify();
  };

  return {
    begin,
    end,
    add() {
      begin();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        end();
      };
    },
    isNeeded,
    arises: (signal) =>
      watching(signal, (done) => {
        if (isNeeded()) done();
        return () => {};
      }),
    ends: (stop, signal) =>
      watching(signal, (done) => {
        let cancel = () => {};
        const wait = () => {
          if (lifecycle.kind === 'eager' || uses > 0) return;
          cancel = clock.after(lifecycle.idleStopSecs * 1000, () => (stop() ? done() : wait()));
        };
        wait();
        return () => cancel();
      }),
    follow(next) {
      lifecycle = next;
      notify();
    },
  };
}
