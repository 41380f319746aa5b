// Work that runs alone: each begins when the work before it has ended, however it ended.

export interface Mutex {
  /** @returns the result of the work, or its rejection */
  run<T>(work: () => T | Promise<T>): Promise<T>;
  /** Resolves when all work that was given so far has ended. Never rejects. */
  idle(): Promise<void>;
}

/** Creates a mutex: work runs one after the other, in the order of `run`. */
export function createMutex(): Mutex {
  let last: Promise<void> = Promise.resolve();
  return {
    run(work) {
      const mine = last.then(work);
      last = mine.then(ignore, ignore);
      return mine;
    },
    idle: () => last,
  };
}

/** A mutex for each key. A key without work is forgotten. */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Creates a mutex for each key: work of different keys runs side by side. */
export function createKeyedMutex(): KeyedMutex {
  const lastOf = new Map<string, Promise<void>>();
  return (key, work) => {
    const mine = (lastOf.get(key) ?? Promise.resolve()).then(work);
    const ended: Promise<void> = mine.then(ignore, ignore).then(() => {
      if (lastOf.get(key) === ended) lastOf.delete(key);
    });
    lastOf.set(key, ended);
    return mine;
  };
}

function ignore(): void {}
