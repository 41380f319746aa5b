// An approval covers all turns of a call: when what was approved asks its caller something, the answers need no approval
// of their own. Kept for as long as a caller may take to answer, and not over a restart.
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
  /** Whether the turn is approved, once: whoever asks is about to send it. */
  take(state: string, binding: StateBinding): boolean;
}

const maxTurns = 1000;

export function createApprovedTurns(clock: Pick<Clock, 'now'>): ApprovedTurns {
  const turns = new Map<string, { readonly untilMs: number; readonly args: JsonObject }>();
  const nameOf = (state: string, { principal, kind, targetId, args, key }: StateBinding) =>
    sha256Hex(comparableText([state, principal, kind, targetId, args, key]));
  const find = (name: string) => {
    const turn = turns.get(name);
    return turn !== undefined && turn.untilMs > clock.now() ? turn.args : undefined;
  };
  return {
    add(state, binding, args) {
      const [oldest] = turns.keys();
      if (turns.size >= maxTurns && oldest !== undefined) turns.delete(oldest);
      turns.set(nameOf(state, binding), { untilMs: clock.now() + parkedMs, args });
    },
    find: (state, binding) => find(nameOf(state, binding)),
    take(state, binding) {
      const name = nameOf(state, binding);
      const isApproved = find(name) !== undefined;
      turns.delete(name);
      return isApproved;
    },
  };
}
