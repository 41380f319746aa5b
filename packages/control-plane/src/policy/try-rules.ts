// The rules on arguments for the call of a trial: which one decides, and which ones would, were there arguments.
import { type JsonObject, joinPath } from '@portico/contracts';
import type { PolicyDecision, Viewer } from '@portico/policy-engine';
import type { CallFailure } from '../call/call.js';
import type { Target } from '../call/target.js';
import { isRefusal, refusalOf } from '../state/permit.js';
import type { PlaneState } from '../state/plane-state.js';
import { layersOf } from '../state/policy-layers.js';
import { argumentRuleOf, authorize } from '../state/target.js';

export interface RuleTrial {
  /** The `pattern` of a rule on arguments is its `match`. */
  readonly decision: PolicyDecision;
  /** The rule that decides, as records name it; undefined if no single rule does. */
  readonly rule: string | undefined;
  /** Fields of the configuration that decide, as `policy.deny[0]`. */
  readonly places: readonly string[];
}

export interface RulesTrial {
  /** The rule on arguments that decides; undefined if none applies. */
  readonly decided: RuleTrial | undefined;
  readonly onTrial: RuleTrial | undefined;
  readonly refusal: CallFailure | undefined;
}

/** @param args as they would be sent */
export function tryRules(state: PlaneState, viewer: Viewer, id: string, target: Target, args: JsonObject): RulesTrial {
  const asking = { kind: target.kind, id, caller: { ...viewer, actor: null } };
  const verdict = authorize(state, asking, target, args);
  return {
    decided: 'rule' in verdict ? trialOf(state, viewer, verdict.rule) : undefined,
    onTrial: 'shadow' in verdict && verdict.shadow !== undefined ? trialOf(state, viewer, verdict.shadow) : undefined,
    refusal: isRefusal(verdict) ? refusalOf(verdict, asking) : undefined,
  };
}

/** Undefined for a rule by names. */
function trialOf({ config }: PlaneState, viewer: Viewer, name: string): RuleTrial | undefined {
  for (const { at, rules } of layersOf(config, viewer)) {
    for (const [index, rule] of (rules.rules ?? []).entries()) {
      if (argumentRuleOf(rule) !== name) continue;
      const kind = rule.effect === 'deny' ? 'deny' : 'require_approval';
      const places = [joinPath([...at, 'rules', index])];
      return { decision: { kind, pattern: rule.match }, rule: name, places };
    }
  }
  return undefined;
}
