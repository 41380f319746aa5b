// Whether the upstream of a call may make a task of it. Other calls are spared what a task needs.
import { isVisible } from '@portico/policy-engine';
import type { Call } from '../call.js';
import type { Execution } from '../execute.js';
import type { PlaneState } from '../plane-state.js';
import { findTarget } from '../steps/resolve.js';
import { needsTask } from '../steps/send-to-end.js';

/** Only tools are run as tasks (MCP 2025-11-25, tasks; tasks extension of 2026-07-28). */
export function mayBecomeTask(
  { pool }: Pick<Execution, 'pool'>,
  state: PlaneState,
  { kind, id, client }: Call,
): boolean {
  if (kind !== 'tool' || (client !== undefined && client.takesTasks !== true)) return false;
  const target = findTarget(state, kind, id);
  return target !== undefined && (needsTask(target.tool) || pool.get(target.server)?.traits()?.hasTasks === true);
}

/** Inside the caller's view, and not denied. */
export function isAllowed(state: PlaneState, { kind, id, caller }: Call): boolean {
  const target = findTarget(state, kind, id);
  if (target === undefined || state.view(caller)?.hasServer(target.server) !== true) return false;
  return isVisible(state.policy.decide(caller, target.names));
}
