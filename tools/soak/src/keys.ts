// Keys that several clients use at a time, over every facade: the name of a key says how it is used.
import type { Random } from '../../faults/src/random.js';

export interface KeyedCall {
  readonly key: string;
  readonly capability_id: string;
  readonly args: { readonly key: string; readonly ms: number };
}

export interface Keys {
  /** A new key, or one that is or was in use. */
  next(random: Random): KeyedCall;
}

/** How far back a repeat goes: so that most come while the first is still under way, or soon after. */
const recent = 30;

export function createKeys(seed: number, servers: readonly string[]): Keys {
  let made = 0;
  return {
    next(random) {
      const isNew = made === 0 || random.chance(0.5);
      const number = isNew ? made : random.between(Math.max(0, made - recent), made - 1);
      if (isNew) made += 1;
      const key = `soak-${seed}-${number}`;
      const server = servers[number % servers.length] ?? '';
      return { key, capability_id: `${server}.count`, args: { key, ms: number % 7 === 0 ? 40 : 0 } };
    },
  };
}
