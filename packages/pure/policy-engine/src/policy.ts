// Whether a thing may be used: deny, then allow, then require approval, over every name it goes by.
// Says nothing of who asks, and never looks at arguments.
import { compilePatterns, type PatternSet } from './patterns.js';

export interface PolicyRules {
  /** Empty allows everything. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly requireApproval: readonly string[];
}

export type PolicyDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'deny'; readonly pattern: string }
  | { readonly kind: 'not_allowed' }
  | { readonly kind: 'require_approval'; readonly pattern: string };

export interface Policy {
  /**
   * @param names The canonical id `<server>.<tool>` and every alias; guard names count for deny and requireApproval only.
   *   A thing without a name is not allowed.
   * @returns The decision; `pattern` is the first one that matches the first name which any matches.
   */
  decide(names: readonly string[]): PolicyDecision;
}

const allowed: PolicyDecision = Object.freeze({ kind: 'allow' });
const notAllowed: PolicyDecision = Object.freeze({ kind: 'not_allowed' });

const strictness: Readonly<Record<PolicyDecision['kind'], number>> = Object.freeze({
  allow: 0,
  require_approval: 1,
  not_allowed: 2,
  deny: 3,
});

export function compilePolicy(rules: PolicyRules): Policy {
  const allow = compilePatterns(rules.allow);
  const deny = compilePatterns(rules.deny, 'narrows');
  const requireApproval = compilePatterns(rules.requireApproval, 'narrows');
  return Object.freeze({
    decide(names: readonly string[]): PolicyDecision {
      if (names.length === 0) return notAllowed;
      const denied = deny.isEmpty ? undefined : firstMatch(deny, names);
      if (denied !== undefined) return { kind: 'deny', pattern: denied };
      if (!allow.isEmpty && firstMatch(allow, names) === undefined) return notAllowed;
      const held = requireApproval.isEmpty ? undefined : firstMatch(requireApproval, names);
      return held === undefined ? allowed : { kind: 'require_approval', pattern: held };
    },
  });
}

/** The strictest decision of all policies. No policy at all allows everything that has a name. */
export function narrow(...policies: readonly Policy[]): Policy {
  return Object.freeze({
    decide(names: readonly string[]): PolicyDecision {
      if (names.length === 0) return notAllowed;
      return strictest(policies.map((policy) => policy.decide(names)));
    },
  });
}

/** deny, then not_allowed, then require_approval, then allow; the first of equals. Of no decisions, allow. */
export function strictest(decisions: readonly PolicyDecision[]): PolicyDecision {
  let strict = decisions[0] ?? allowed;
  for (const decision of decisions) if (strictness[decision.kind] > strictness[strict.kind]) strict = decision;
  return strict;
}

/** Whether the thing is listed: it may be used, if need be after approval. */
export function isVisible(decision: PolicyDecision): boolean {
  return decision.kind === 'allow' || decision.kind === 'require_approval';
}

function firstMatch(patterns: PatternSet, names: readonly string[]): string | undefined {
  for (const name of names) {
    const pattern = patterns.match(name);
    if (pattern !== undefined) return pattern;
  }
  return undefined;
}
