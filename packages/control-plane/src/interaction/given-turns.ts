// Turns of calls whose upstream keeps nothing between requests: found by the state that a caller was given with the
// questions, while a caller may take time to answer. In memory: none outlives the process.
import { createShares } from '@portico/async';
import { sha256Hex } from '@portico/canonical-json';
import type { Clock } from '@portico/upstream-pool';
import { comparableText } from '../common/comparable-text.js';
import { parkedMs } from './parked-calls.js';
import type { StateBinding } from './request-state.js';

export interface GivenTurns<Value> {
  /** @param value kept with the turn; it replaces the one of the same state and call */
  add(state: string, binding: StateBinding, value: Value): void;
  /** The value of a turn that can still be taken. */
  find(state: string, binding: StateBinding): Value | undefined;
  /** Whether the turn is there, once: the caller of this function is about to send it. */
  take(state: string, binding: StateBinding): boolean;
}

const maxTurns = 1000;

interface Given<Value> {
  readonly principal: string;
  readonly untilMs: number;
  readonly value: Value;
}

/** Keeps a thousand turns; beyond them, the oldest one of the principal that has most is removed. */
export function createGivenTurns<Value>(clock: Pick<Clock, 'now'>): GivenTurns<Value> {
  const turns = new Map<string, Given<Value>>();
  const shares = createShares(() => maxTurns);
  const nameOf = (state: string, { principal, kind, targetId, args, key }: StateBinding) =>
    sha256Hex(comparableText([state, principal, kind, targetId, args, key]));
  const find = (name: string) => {
    const turn = turns.get(name);
    return turn !== undefined && turn.untilMs > clock.now() ? turn.value : undefined;
  };
  const remove = (name: string) => {
    const turn = turns.get(name);
    if (turn === undefined) return;
    turns.delete(name);
    shares.release([turn.principal]);
  };
  /** Removes from the principal that has most: no principal loses a turn to those of another. */
  const removeOldest = () => {
    const most = shares.largest();
    for (const [name, { principal }] of turns) if (principal === most) return remove(name);
  };
  return {
    add(state, binding, value) {
      const name = nameOf(state, binding);
      const { principal } = binding;
      remove(name);
      if (turns.size >= maxTurns) removeOldest();
      turns.set(name, { principal, untilMs: clock.now() + parkedMs, value });
      shares.add([principal]);
    },
    find: (state, binding) => find(nameOf(state, binding)),
    take(state, binding) {
      const name = nameOf(state, binding);
      const isGiven = find(name) !== undefined;
      remove(name);
      return isGiven;
    },
  };
}
