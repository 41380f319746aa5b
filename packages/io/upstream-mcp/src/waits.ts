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
