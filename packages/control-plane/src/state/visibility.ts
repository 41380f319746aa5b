// Whether policy, as it is now, lets a viewer see a thing. For notices and records outside of a call.
import { splitId } from '@portico/catalog-core';
import { isVisible, type Viewer } from '@portico/policy-engine';
import type { CallKind } from '../call/call.js';
import { heldBy } from './held-by.js';
import type { PlaneState } from './plane-state.js';
import { findTarget, isBeyondBounds } from './target.js';

/** Under the policy that nothing narrows. */
const everybody: Viewer = Object.freeze({ profile: null, role: null });

/** Checks every name of the canonical id, listed or not. */
export function isSeen(state: PlaneState, kind: CallKind, id: string, viewer: Viewer = everybody): boolean {
  return isVisible(state.policy.decide(viewer, namesOf(state, kind, id))) && !isHeld(state, kind, id);
}

/** Held entries are not used, and neither are their earlier answers. */
function isHeld(state: PlaneState, kind: CallKind, id: string): boolean {
  return heldBy(state.lock, state, kind, id) !== undefined;
}

/** Whether a viewer knows something under this canonical id or alias; calling it may be denied nevertheless. */
export function isKnownTo(state: PlaneState, viewer: Viewer, kind: CallKind, name: string): boolean {
  const target = findTarget(state, kind, name);
  if (target === undefined || state.view(viewer)?.hasServer(target.server) !== true) return false;
  return state.policy.decide(viewer, target.names).kind !== 'not_allowed';
}

/** Every name of the canonical id, one list for each spelling. */
export function namesOf(state: PlaneState, kind: CallKind, id: string): readonly (readonly string[])[] {
  return findTarget(state, kind, id)?.names ?? unlistedNames(state, kind, id);
}

function unlistedNames(state: PlaneState, kind: CallKind, id: string): readonly (readonly string[])[] {
  if (kind === 'resource' && isBeyondBounds(state, id)) return [[]]; // by no name, so that it is not seen
  const parts = splitId(id);
  return kind === 'resource' && parts !== undefined ? state.catalog.resourceNames(parts.server, parts.name) : [[id]];
}
