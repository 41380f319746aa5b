// Long work in steps: between two of them, whoever runs it may let others have their turn.

export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all of it in one go. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
