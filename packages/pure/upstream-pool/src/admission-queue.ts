// A fixed number of calls in flight to one server; the rest wait in order. A waiter that gives up leaves the queue.

export interface AdmissionQueue {
  /** Resolves with the function that frees the place. Rejects with the signal's reason when it aborts first. */
  enter(signal: AbortSignal): Promise<() => void>;
  readonly inFlight: () => number;
  readonly waiting: () => number;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
}

export function createAdmissionQueue(limit: number): AdmissionQueue {
  let inFlight = 0;
  const waiters = new Set<() => void>();
  const idlers = new Set<() => void>();

  const leave = () => {
    const [next] = waiters;
    if (next === undefined) {
      inFlight -= 1;
      if (inFlight > 0) return;
      for (const tell of idlers) tell();
      idlers.clear();
      return;
    }
    waiters.delete(next);
    next();
  };

  const place = () => {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      leave();
    };
  };

  const enter = async (signal: AbortSignal): Promise<() => void> => {
    signal.throwIfAborted();
    if (inFlight < limit) {
      inFlight += 1;
      return place();
    }
    return new Promise((resolve, reject) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(place());
      };
      const giveUp = () => {
        waiters.delete(admit);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiters.add(admit);
    });
  };

  const idle = () => (inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => idlers.add(resolve)));
  return { enter, inFlight: () => inFlight, waiting: () => waiters.size, idle };
}
