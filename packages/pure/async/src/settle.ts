// Hands on how work ended by a call. A promise does the same, but costs a turn of the microtask queue and three objects at
// every place that it passes through.

/** Waits for the end of some work. One of the two is called, once; neither may throw. */
export interface Settle<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** Hands on the end of a promise. */
export function settleWith<T>(settle: Settle<T>, work: Promise<T>): void {
  work.then(
    (value) => settle.resolve(value),
    (error: unknown) => settle.reject(error),
  );
}

/** The end of such work as a promise. */
export function promised<T>(start: (settle: Settle<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => start({ resolve, reject }));
}
