// Whether policy, as it is now, lets anybody see a thing. For what is told or kept of it outside of a call.
import { splitId } from '@portico/catalog-core';
import { isVisible } from '@portico/policy-engine';
import type { CallKind } from './call.js';
import type { PlaneState } from './plane-state.js';
import { findTarget } from './steps/resolve.js';

/** By every name of what the canonical id stands for, listed or not. */
export function isSeen(state: PlaneState, kind: CallKind, id: string): boolean {
  return isVisible(state.policy.decide(null, findTarget(state, kind, id)?.names ?? unlistedNames(state, kind, id)));
}

function unlistedNames({ catalog }: PlaneState, kind: CallKind, id: string): readonly (readonly string[])[] {
  const parts = splitId(id);
  return kind === 'resource' && parts !== undefined ? catalog.resourceNames(parts.server, parts.name) : [[id]];
}
