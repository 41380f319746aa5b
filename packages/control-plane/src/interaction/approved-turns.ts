// An approval covers all turns of a call: when an approved call asks its caller a question, the answers need no
// approval of their own. Kept while a caller may take time to answer, and not across a restart.
import type { JsonObject } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import { createGivenTurns } from './given-turns.js';
import type { StateBinding } from './request-state.js';

export interface ApprovedTurns {
  /** @param args what was approved, which is sent in the turn too */
  add(state: string, binding: StateBinding, args: JsonObject): void;
  /** The arguments of a turn that is approved. It can still be taken. */
  find(state: string, binding: StateBinding): JsonObject | undefined;
  /** Whether the turn is approved, once: the caller of this function is about to send it. */
  take(state: string, binding: StateBinding): boolean;
}

export function createApprovedTurns(clock: Pick<Clock, 'now'>): ApprovedTurns {
  return createGivenTurns<JsonObject>(clock);
}
