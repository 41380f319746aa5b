// Numbers that look random and are the same for the same seed. Not for secrets.

export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  next(): number;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
}

/** A stream of its own for each path, so that what one part of a run draws does not depend on what another one drew. */
export function createRandom(seed: number, ...path: readonly (string | number)[]): Random {
  let state = seed >>> 0;
  for (const character of path.join('/')) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193) >>> 0;
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  next();
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
  };
}
