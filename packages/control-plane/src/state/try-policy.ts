// What policy would say of an id, for an operator who writes rules. Nothing is run and nothing recorded.
import { PorticoError } from '@portico/contracts';
import { type PolicyDecision, withoutMark } from '@portico/policy-engine';
import type { CallKind } from '../call/call.js';
import type { PlaneState } from './plane-state.js';
import { findTarget } from './target.js';
import { namesOf } from './visibility.js';

export interface PolicyTrial {
  readonly kind: CallKind;
  /** Canonical id or alias, listed or not. */
  readonly id: string;
  readonly profile: string | null;
  readonly role: string | null;
}

export interface PolicyVerdict {
  readonly decision: PolicyDecision;
  /** The decision on a call: a thing outside the profile, or that `allow` does not cover, does not exist. */
  readonly effect: 'runs' | 'waits_for_approval' | 'denied' | 'not_found';
  /** Every name that the rules were tried on. */
  readonly names: readonly string[];
}

const effects: Readonly<Record<PolicyDecision['kind'], PolicyVerdict['effect']>> = {
  allow: 'runs',
  require_approval: 'waits_for_approval',
  deny: 'denied',
  not_allowed: 'not_found',
};

/** @throws PorticoError INVALID_ARGS for a role or profile that there is not */
export function tryPolicy(state: PlaneState, { kind, id, profile, role }: PolicyTrial): PolicyVerdict {
  if (state.policy.roleRules(role) === undefined) {
    throw new PorticoError('INVALID_ARGS', `role: there is no role "${role}"`);
  }
  const viewer = { profile, role };
  const view = state.view(viewer);
  if (view === undefined) {
    const who = role === null ? '' : ` that the role "${role}" has`;
    throw new PorticoError('INVALID_ARGS', `profile: there is no profile "${profile}"${who}`);
  }
  const names = namesOf(state, kind, id);
  const decision = state.policy.decide(viewer, names);
  const target = findTarget(state, kind, id);
  const isThere = target !== undefined && view.hasServer(target.server);
  return {
    decision,
    effect: isThere ? effects[decision.kind] : 'not_found',
    names: [...new Set(names.flat().map(withoutMark))],
  };
}
