// Whether the upstream of a call may make a task of it. Other calls are spared what a task needs.
import { isVisible } from '@portico/policy-engine';
import type { UpstreamPool } from '@portico/upstream-pool';
import type { Call } from '../call/call.js';
import { needsTask } from '../call/target.js';
import type { PlaneState } from '../state/plane-state.js';
import { findTarget } from '../state/target.js';

/** Only tools are run as tasks (MCP 2025-11-25, tasks; tasks extension of 2026-07-28). */
export function mayBecomeTask(pool: Pick<UpstreamPool, 'get'>, state: PlaneState, { kind, id, client }: Call): boolean {
  if (kind !== 'tool' || (client !== undefined && client.takesTasks !== true)) return false;
  const target = findTarget(state, kind, id);
  return target !== undefined && (needsTask(target.tool) || pool.get(target.server)?.traits?.hasTasks === true);
}

/** Inside the caller's view, and not denied. */
export function isAllowed(state: PlaneState, { kind, id, caller }: Call): boolean {
  const target = findTarget(state, kind, id);
  if (target === undefined || state.view(caller)?.hasServer(target.server) !== true) return false;
  return isVisible(state.policy.decide(caller, target.names));
}
