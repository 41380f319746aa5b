// What operators ask of the rules before and after they write them. Nothing here changes anything.
import type { AuditLog } from '../audit/audit-log.js';
import type { ArgumentValidator } from '../execution/steps/validate-arguments.js';
import type { RuleHits } from '../observability/metrics/rule-hits.js';
import type { PlaneState } from '../state/plane-state.js';
import { type ListedRules, listRules } from './list-rules.js';
import { type PolicyChange, type PolicyPreview, previewPolicy } from './preview-policy.js';
import { type PolicyTrial, type PolicyVerdict, tryPolicy } from './try-policy.js';
import { type UnmatchedRule, unmatchedRules } from './unmatched-rules.js';

export interface PolicyService {
  /** What would become of a call. @throws PorticoError INVALID_ARGS for a role or profile that there is not */
  try(trial: PolicyTrial): PolicyVerdict;
  /** What a change would mean. Rejects as `try` throws. */
  preview(change: PolicyChange): Promise<PolicyPreview>;
  /** The rules that are configured. */
  rules(): ListedRules;
  /** Rules and aliases that match nothing which the servers list. */
  unmatched(): readonly UnmatchedRule[];
}

export interface PolicyServiceDeps {
  readonly state: () => PlaneState;
  readonly audit: Pick<AuditLog, 'list'>;
  readonly validator: ArgumentValidator;
  readonly ruleHits: Pick<RuleHits, 'of' | 'ofShadow'>;
}

export function createPolicyService({ state, audit, validator, ruleHits }: PolicyServiceDeps): PolicyService {
  return {
    try: (trial) => tryPolicy(state(), validator, trial),
    preview: (change) => previewPolicy(state(), audit, change),
    rules: () => listRules(state(), ruleHits),
    unmatched: () => unmatchedRules(state()),
  };
}
