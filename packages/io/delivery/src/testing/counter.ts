// Counts, and notifies when a count is reached, so that a test waits for events instead of for time. For tests only.

export interface Counter {
  readonly count: number;
  add(): void;
  reaches(target: number): Promise<void>;
}

export function createCounter(): Counter {
  let count = 0;
  let waiters: readonly { readonly target: number; readonly resolve: () => void }[] = [];
  return {
    get count() {
      return count;
    },
    add() {
      count++;
      for (const { target, resolve } of waiters) if (count >= target) resolve();
      waiters = waiters.filter(({ target }) => count < target);
    },
    reaches: (target) =>
      new Promise((resolve) => {
        if (count >= target) resolve();
        else waiters = [...waiters, { target, resolve }];
      }),
  };
}
