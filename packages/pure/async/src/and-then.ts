// Goes on with a value that is there most of the time: a promise is waited for, and no other makes one.

/** The result of `next` for the value, or a promise of it. An exception of `next` is thrown at once, or rejects. */
export function andThen<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
