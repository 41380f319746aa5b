// Whether an entry may be used: deny, then allow, then require approval, over each of its names; and the rules of a
// role, which narrow the common rules and those of its profile, and never widen them. Never looks at arguments.
import type { Role } from '@portico/contracts';
import { isLocalRole } from './local-roles.js';
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
   * Decides about one thing.
   * @param names Its name, or all of them: the canonical id `<server>.<tool>` and every alias; guard names count for deny and requireApproval only.
   *   A thing without a name is not allowed.
   * @returns The decision; `pattern` is the first one that matches the first name which any matches.
   */
  decide(names: string | readonly string[]): PolicyDecision;
}

const allowed: PolicyDecision = Object.freeze({ kind: 'allow' });
const notAllowed: PolicyDecision = Object.freeze({ kind: 'not_allowed' });

const strictness: Readonly<Record<PolicyDecision['kind'], number>> = Object.freeze({
  allow: 0,
  require_approval: 1,
  not_allowed: 2,
  deny: 3,
});

/**
 * Compiles lists of patterns into a policy. A list that is left out is empty; an empty `allow` allows everything; `deny` is
 * stronger than the other lists.
 */
export function compilePolicy(rules: Partial<PolicyRules>): Policy {
  const allow = compilePatterns(rules.allow ?? []);
  const deny = compilePatterns(rules.deny ?? [], 'narrows');
  const requireApproval = compilePatterns(rules.requireApproval ?? [], 'narrows');
  return Object.freeze({
    decide(given: string | readonly string[]): PolicyDecision {
      if (given.length === 0) return notAllowed;
      const names = typeof given === 'string' ? [given] : given;
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
    decide(names: string | readonly string[]): PolicyDecision {
      if (names.length === 0) return notAllowed;
      return strictest(policies.map((policy) => policy.decide(names)));
    },
  });
}

/** deny, then not_allowed, then require_approval, then allow; the first of equals. Without decisions, allow. */
export function strictest(decisions: readonly PolicyDecision[]): PolicyDecision {
  let strict = decisions[0] ?? allowed;
  for (const decision of decisions) if (strictness[decision.kind] > strictness[strict.kind]) strict = decision;
  return strict;
}

/** Whether a decision permits less than another one. */
export function isStricter(decision: PolicyDecision, than: Pick<PolicyDecision, 'kind'>): boolean {
  return strictness[decision.kind] > strictness[than.kind];
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

/** The view of a caller. */
export interface Viewer {
  /** Null for the whole catalog, or for the role's own profile where it has one. */
  readonly profile: string | null;
  /** Null for the operator of this machine, and for every caller if there are no roles. */
  readonly role: string | null;
}

export interface RoleSet {
  /** The rules of a role alone; undefined for one that does not exist. */
  policyOf(role: string): Policy | undefined;
  /**
   * The profile that a viewer looks through. A role with a profile of its own sees no other.
   * @returns undefined for a role that does not exist, and for a profile that its role does not have
   */
  profileOf(viewer: Viewer): string | null | undefined;
}

/** Compiles the roles of a configuration into one policy each. */
export function compileRoles(roles: ReadonlyMap<string, Role>): RoleSet {
  const policies = new Map([...roles].map(([name, role]) => [name, compilePolicy(role)]));
  return Object.freeze({
    policyOf: (role: string) => policies.get(role),
    profileOf({ profile, role }: Viewer) {
      if (role === null || isLocalRole(role)) return profile;
      const known = roles.get(role);
      if (known === undefined) return undefined;
      if (known.profile === null || known.profile === profile) return profile;
      return profile === null ? known.profile : undefined;
    },
  });
}
