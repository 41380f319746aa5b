// Stores of a daemon that is gone, beside those of one that lives, on the same database.
import type { StateDatabase } from '../database.js';

export function createGenerations<S extends object>(createStore: (database: StateDatabase) => S) {
  const later = new WeakMap<S, S>();
  return {
    /** What it leaves open is left behind. */
    openFirst(database: StateDatabase): S {
      const first = createStore({ ...database, owner: 'gone' });
      later.set(first, createStore(database));
      return first;
    },
    /** As the one that lives has it; a store in memory is of one process. */
    laterOf: (store: S): S => later.get(store) ?? store,
  };
}
