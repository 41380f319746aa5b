// A map that is never edited: a changed one shares its base, over which the changes are laid. What they stand for stays in
// the base, once for each key at most, until they have become many and there is a new base: that alone costs what it holds.
import type { Steps } from '@portico/async';

export interface LayeredMap<T> {
  readonly base: ReadonlyMap<string, T>;
  /** What has changed since; null where there is none any more. */
  readonly over: ReadonlyMap<string, T | null>;
}

/** For each key of the base, how many may be laid over it. */
const mostOver = 0.5;
const changesInOneStep = 512;

export const emptyMap: LayeredMap<never> = { base: new Map<string, never>(), over: new Map<string, null>() };

export function findIn<T>({ base, over }: LayeredMap<T>, key: string): T | undefined {
  const changed = over.get(key);
  return changed === undefined ? base.get(key) : (changed ?? undefined);
}

/** Makes one change after the other. @param apply gives the new value of a key, null for none */
export function* changeMap<T, Change>(
  { base, over: before }: LayeredMap<T>,
  changes: Iterable<readonly [key: string, Change]>,
  apply: (before: T | undefined, change: Change) => T | null,
): Steps<LayeredMap<T>> {
  const over = new Map(before);
  const changed = { base, over };
  let done = 0;
  for (const [key, change] of changes) {
    over.set(key, apply(findIn(changed, key), change));
    done += 1;
    if (done % changesInOneStep === 0) yield;
  }
  if (over.size <= base.size * mostOver) return changed;
  yield;
  const next = new Map(base);
  for (const [key, value] of over) {
    if (value === null) next.delete(key);
    else next.set(key, value);
  }
  return { base: next, over: new Map() };
}
