// The verdict of the rules as a failure, and the verdict of the rules on trial.
import { type JsonObject, nothingSent } from '@portico/contracts';
import { isStricter, type Viewer } from '@portico/policy-engine';
import { CallFailure } from '../call/call.js';
import type { Target } from '../call/target.js';
import type { Decide } from './plane-policy.js';
import type { PlaneState } from './plane-state.js';
import {
  type Asking,
  argumentRuleOf,
  authorize,
  notFound,
  type Permission,
  type Refusal,
  ruleIn,
  type Verdict,
} from './target.js';

/** The failure of a refused call. */
export function refusalOf(refusal: Refusal, { kind, id }: Pick<Asking, 'kind' | 'id'>): CallFailure {
  if (refusal.verdict === 'not_found') return notFound(kind, id);
  const { message, rule, reason, hint } = refusal;
  return new CallFailure('POLICY_DENIED', message, nothingSent, { rule, reason, hint });
}

export function isRefusal(verdict: Verdict): verdict is Refusal {
  return verdict.verdict === 'deny' || verdict.verdict === 'not_found';
}

/**
 * Asks the policy as `authorize` does. @throws CallFailure POLICY_DENIED, or the kind's not-found code where `allow` does
 * not cover the target
 */
export function permit(state: PlaneState, asking: Asking, target: Target, args?: JsonObject): Permission {
  const verdict = authorize(state, asking, target, args);
  if (isRefusal(verdict)) throw refusalOf(verdict, asking);
  return verdict;
}

/**
 * The result of the shadow rules for a call that the rules in force allow, as records name it: `<effect>:<pattern>`, or
 * `not_allowed`. Undefined if they would have been no stricter.
 */
export function shadowOf(
  decide: Decide,
  { caller }: Pick<Asking, 'caller'>,
  target: Target,
  { verdict }: Pick<Permission, 'verdict'>,
): string | undefined {
  const decision = decide(caller, target.names);
  if (!isStricter(decision, { kind: verdict })) return undefined;
  return ruleIn(decision) ?? decision.kind;
}

/** Names of the rules in force that cover an entry, and decide by the arguments of a call. */
export function rulesCovering({ policy }: PlaneState, viewer: Viewer, names: Target['names']): readonly string[] {
  const covering = policy.argumentRules?.covering(viewer, names) ?? [];
  return covering.filter(({ shadow }) => !shadow).map(argumentRuleOf);
}
