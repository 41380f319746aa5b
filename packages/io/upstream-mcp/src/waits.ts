// Delays that end together with what they belong to, and never keep the process alive.

export interface Waits {
  /** Resolves after the time, or at once when `end` is called. */
  wait(ms: number): Promise<void>;
  end(): void;
}

export function createWaits(): Waits {
  const waiting = new Set<() => void>();
  let isOver = false;
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        if (isOver) return resolve();
        const finish = () => {
          clearTimeout(timer);
          waiting.delete(finish);
          resolve();
        };
        const timer = setTimeout(finish, ms).unref();
        waiting.add(finish);
      }),
    end() {
      isOver = true;
      for (const finish of [...waiting]) finish();
    },
  };
}

/** The outcome of the work, or a rejection when it takes too long; ending the work is left to the caller. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms).unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
