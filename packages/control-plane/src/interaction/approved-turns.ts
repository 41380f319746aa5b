// An approval covers all turns of a call: when an approved call asks its caller a question, the answers need no
// approval of their own. Kept while a caller may take time to answer, and not across a restart.
import { createShares } from '@portico/async';
import { sha256Hex } from '@portico/canonical-json';
import type { JsonObject } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import { comparableText } from '../common/comparable-text.js';
import { parkedMs } from './parked-calls.js';
import type { StateBinding } from './request-state.js';

export interface ApprovedTurns {
  /** @param args what was approved, which is sent in the turn too */
  add(state: string, binding: StateBinding, args: JsonObject): void;
  /** The arguments of a turn that is approved. It can still be taken. */
  find(state: string, binding: StateBinding): JsonObject | undefined;
  /** Whether the turn is approved, once: the caller of this function is about to send it. */
  take(state: string, binding: StateBinding): boolean;
}

const maxTurns = 1000;

interface Approved {
  readonly principal: string;
  readonly untilMs: number;
  readonly args: JsonObject;
}

export function createApprovedTurns(clock: Pick<Clock, 'now'>): ApprovedTurns {
  const turns = new Map<string, Approved>();
  const shares = createShares(() => maxTurns);
  const nameOf = (state: string, { principal, kind, targetId, args, key }: StateBinding) =>
    sha256Hex(comparableText([state, principal, kind, targetId, args, key]));
  const find = (name: string) => {
    const turn = turns.get(name);
    return turn !== undefined && turn.untilMs > clock.now() ? turn.args : undefined;
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
    add(state, binding, args) {
      const name = nameOf(state, binding);
      const { principal } = binding;
      remove(name);
      if (turns.size >= maxTurns) removeOldest();
      turns.set(name, { principal, untilMs: clock.now() + parkedMs, args });
      shares.add([principal]);
    },
    find: (state, binding) => find(nameOf(state, binding)),
    take(state, binding) {
      const name = nameOf(state, binding);
      const isApproved = find(name) !== undefined;
      remove(name);
      return isApproved;
    },
  };
}
