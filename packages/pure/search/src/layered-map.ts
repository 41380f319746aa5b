// A map that is never edited: a changed map shares its base and keeps its changes in a layer over it. Replaced values stay
// in the base until the changes are many. Then a new base is made, the only step whose cost grows with the whole map.
import type { Steps } from '@portico/async';

export interface LayeredMap<T> {
  readonly base: ReadonlyMap<string, T>;
  /** Changes since the base was made; null for a key that was removed. */
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
