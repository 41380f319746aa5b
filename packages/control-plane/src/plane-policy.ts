// The policy of a configuration, compiled once: what is listed, what may be run, what is kept from view.
import { noRules, type VisibilityRules } from '@portico/catalog-core';
import type { Config, PolicyRules } from '@portico/contracts';
import {
  compilePolicy,
  createRedactor,
  defaultRedactKeys,
  isVisible,
  narrow,
  type Policy,
  type PolicyDecision,
  type Redactor,
  strictest,
} from '@portico/policy-engine';

export interface PlanePolicy {
  /** What everybody's catalog lists. */
  readonly base: VisibilityRules;
  readonly redactor: Redactor;
  /** What narrows a profile's view further; null for nothing. */
  profileRules(profile: string): VisibilityRules | null;
  /** The strictest decision over lists of names that each stand for the same thing. */
  decide(profile: string | null, names: readonly (readonly string[])[]): PolicyDecision;
}

export function compilePlanePolicy({ policy, profiles }: Config): PlanePolicy {
  const base = compilePolicy(policy);
  const ofProfiles = new Map<string, { readonly rules: VisibilityRules; readonly policy: Policy }>();
  for (const [id, profile] of profiles) {
    if (profile.policy === null) continue;
    const own = compilePolicy(profile.policy);
    ofProfiles.set(id, { rules: toVisibility(own, profile.policy), policy: narrow(base, own) });
  }
  const { redactKeys, approvalTimeoutSecs } = policy;
  const isDefault = !hasRules(policy) && redactKeys === null;
  return {
    base: isDefault ? noRules : toVisibility(base, policy, { redactKeys, approvalTimeoutSecs }),
    redactor: createRedactor(redactKeys ?? defaultRedactKeys),
    profileRules: (profile) => ofProfiles.get(profile)?.rules ?? null,
    decide(profile, names) {
      const inForce = (profile === null ? undefined : ofProfiles.get(profile)?.policy) ?? base;
      return strictest(names.map((each) => inForce.decide(each)));
    },
  };
}

function toVisibility(
  policy: Policy,
  { allow, deny, requireApproval }: PolicyRules,
  more: object = {},
): VisibilityRules {
  const lists = { allow: ordered(allow), deny: ordered(deny), requireApproval: ordered(requireApproval) };
  return {
    digestible: { ...lists, ...more },
    isVisible: (names) => isVisible(policy.decide(names)),
  };
}

/** The order of patterns and their repetition mean nothing. */
function ordered(patterns: readonly string[]): string[] {
  return [...new Set(patterns)].sort();
}

function hasRules({ allow, deny, requireApproval }: PolicyRules): boolean {
  return allow.length + deny.length + requireApproval.length > 0;
}
