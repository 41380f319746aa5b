// Further turns of calls that the rules on usage have counted at their first request. A state makes a request such a turn
// only if it was given to the same caller for the same call, and once: every other request is a call of its own.
import type { Clock } from '@portico/upstream-pool';
import { createGivenTurns } from './given-turns.js';
import type { StateBinding } from './request-state.js';

export interface CountedTurns {
  /** Notes a state that a counted call was given. Calls of one caller may be given the same one: each may use it once. */
  add(state: string, binding: StateBinding): void;
  has(state: string, binding: StateBinding): boolean;
  /** Whether the state is there, once: the caller of this function is about to send the turn. */
  take(state: string, binding: StateBinding): boolean;
}

export function createCountedTurns(clock: Pick<Clock, 'now'>): CountedTurns {
  const turns = createGivenTurns<number>(clock);
  return {
    add: (state, binding) => turns.add(state, binding, (turns.find(state, binding) ?? 0) + 1),
    has: (state, binding) => turns.find(state, binding) !== undefined,
    take(state, binding) {
      const left = (turns.find(state, binding) ?? 0) - 1;
      const isThere = turns.take(state, binding);
      if (left > 0) turns.add(state, binding, left);
      return isThere;
    },
  };
}
