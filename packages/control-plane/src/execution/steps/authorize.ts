// Step 3: asks the policy, by every name of the target. What is not allowed does not exist; what is denied is refused.
import type { PolicyDecision } from '@portico/policy-engine';
import { type Call, CallFailure } from '../../call/call.js';
import type { Target } from '../../call/target.js';
import type { PlaneState } from '../../state/plane-state.js';
import { notFound } from '../../state/target.js';

export type Permission = Extract<PolicyDecision['kind'], 'allow' | 'require_approval'>;

/** @throws CallFailure POLICY_DENIED, or the kind's not-found code where `allow` does not cover the target */
export function authorize(
  { policy }: PlaneState,
  { kind, id, caller }: Pick<Call, 'kind' | 'id' | 'caller'>,
  target: Target,
): Permission {
  const decision = policy.decide(caller, target.names);
  switch (decision.kind) {
    case 'not_allowed':
      throw notFound(kind, id);
    case 'deny':
      throw new CallFailure('POLICY_DENIED', `policy denies "${id}": the deny rule "${decision.pattern}" covers it`);
    case 'allow':
    case 'require_approval':
      return decision.kind;
  }
}
