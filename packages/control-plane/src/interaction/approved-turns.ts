// An approval covers all turns of a call: when what was approved asks its caller something, the answers need no approval
// of their own. Kept for as long as a caller may take to answer, and not over a restart.
import { digestOf } from '@portico/canonical-json';
import type { Clock } from '@portico/upstream-pool';
import { parkedMs } from './parked-calls.js';
import type { StateBinding } from './request-state.js';

export interface ApprovedTurns {
  add(state: string, binding: StateBinding): void;
  /** Whether the turn is approved, once: whoever asks is about to take it. */
  take(state: string, binding: StateBinding): boolean;
}

const maxTurns = 1000;

export function createApprovedTurns(clock: Pick<Clock, 'now'>): ApprovedTurns {
  const untilMs = new Map<string, number>();
  const nameOf = (state: string, { principal, kind, targetId, args, key }: StateBinding) =>
    digestOf([state, principal, kind, targetId, args, key]);
  return {
    add(state, binding) {
      const [oldest] = untilMs.keys();
      if (untilMs.size >= maxTurns && oldest !== undefined) untilMs.delete(oldest);
      untilMs.set(nameOf(state, binding), clock.now() + parkedMs);
    },
    take(state, binding) {
      const name = nameOf(state, binding);
      const isApproved = (untilMs.get(name) ?? 0) > clock.now();
      untilMs.delete(name);
      return isApproved;
    },
  };
}
