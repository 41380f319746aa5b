// When a piece of a long look at the rules may begin.

/** Resolves when the next piece may begin; undefined if it may at once. */
export type Turn = () => Promise<void> | undefined;
