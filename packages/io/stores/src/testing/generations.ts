// Stores of an ended daemon, beside those of a live one, on the same database.
import type { StateDatabase } from '../database.js';

export function createGenerations<S extends object>(createStore: (database: StateDatabase) => S) {
  const later = new WeakMap<S, S>();
  return {
    /** Its open work is abandoned. */
    openFirst(database: StateDatabase): S {
      const first = createStore({ ...database, owner: 'gone' });
      later.set(first, createStore(database));
      return first;
    },
    /** As the one that lives has it; a store in memory is of one process. */
    laterOf: (store: S): S => later.get(store) ?? store,
  };
}
