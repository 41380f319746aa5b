// Questions of operators about the rules before and after they write them. It changes nothing.
import type { AuditLog } from '../audit/audit-log.js';
import type { Pacer } from '../call/pacer.js';
import type { RuleHits } from '../observability/metrics/rule-hits.js';
import type { PlaneState } from '../state/plane-state.js';
import { createRuleLister, type ListedRules } from './list-rules.js';
import { type ListedVerdicts, listVerdicts, type VerdictViewer } from './list-verdicts.js';
import { type PolicyChange, type PolicyPreview, previewPolicy } from './preview-policy.js';
import { type TryGrantsDeps, tryGrants } from './try-grants.js';
import { type PolicyTrial, type PolicyVerdict, tryPolicy } from './try-policy.js';
import { type UnmatchedRule, unmatchedRules } from './unmatched-rules.js';

export interface PolicyService {
  /** The verdict on a call. @throws PorticoError INVALID_ARGS for an unknown role or profile */
  try(trial: PolicyTrial): PolicyVerdict;
  /** Ids of the grants that would answer the call of a trial that waits for a person, each for its own principal. Rejects with CallFailure INTERNAL_ERROR. */
  answering(trial: PolicyTrial, verdict: PolicyVerdict): Promise<readonly string[]>;
  /** The effect of a change. Rejects as `try` throws. */
  preview(change: PolicyChange): Promise<PolicyPreview>;
  /** The rules that are configured. */
  rules(): Promise<ListedRules>;
  /** The verdicts on a call of each listed entry. Rejects as `try` throws. */
  verdicts(viewer: VerdictViewer): Promise<ListedVerdicts>;
  /** Rules and aliases that match nothing which the servers list. */
  unmatched(): readonly UnmatchedRule[];
}

export interface PolicyServiceDeps extends TryGrantsDeps {
  readonly state: () => PlaneState;
  readonly audit: Pick<AuditLog, 'list'>;
  readonly ruleHits: Pick<RuleHits, 'of' | 'ofShadow'>;
  /** Spaces out the pieces of long answers; not the pacer of calls, which they would delay. */
  readonly pacer: Pick<Pacer, 'turn'>;
}

export function createPolicyService(on: PolicyServiceDeps): PolicyService {
  const { state, audit, validator, ruleHits, pacer, epochMs } = on;
  const turn = () => pacer.turn('policy');
  const lister = createRuleLister(ruleHits, turn);
  return {
    try: (trial) => tryPolicy(state(), validator, trial),
    answering: async (trial, { effect, args }) =>
      effect === 'waits_for_approval' && args?.fits !== 'no' ? tryGrants(on, state(), trial) : [],
    preview: (change) => previewPolicy(state(), change, { audit, turn, epochMs }),
    rules: () => lister.list(state()),
    verdicts: (viewer) => listVerdicts(state(), validator, viewer, turn),
    unmatched: () => unmatchedRules(state()),
  };
}
