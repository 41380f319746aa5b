// The rules of grants, compiled once for each configuration.
import { digestOf } from '@portico/canonical-json';
import type { GrantRules, Policy } from '@portico/contracts';
import { compilePatterns } from '@portico/policy-engine';
import type { Target } from '../call/target.js';

export interface CompiledGrants extends Pick<GrantRules, 'maxTtlSecs' | 'maxUses'> {
  /** Digest of all rules of the policy, and of these: a grant that was made under others answers nothing. */
  readonly policyDigest: string;
  /** Undefined if a grant may be made for calls of the target; else why not, and what to change. */
  refusalOf(target: Target): string | undefined;
}

/** Undefined for a configuration without grants. @param policyDigest of the other rules */
export function compileGrants({ grants }: Pick<Policy, 'grants'>, policyDigest: string): CompiledGrants | undefined {
  if (grants === undefined) return undefined;
  const { maxTtlSecs, maxUses, mayOffer } = grants;
  const offered = mayOffer === null ? undefined : compilePatterns(mayOffer);
  const literal = compilePatterns((mayOffer ?? []).filter((pattern) => !pattern.includes('*')));
  return {
    maxTtlSecs,
    maxUses,
    policyDigest: digestOf([policyDigest, maxTtlSecs, maxUses, mayOffer === null ? null : [...mayOffer]]).slice(0, 32),
    refusalOf({ id, names, tool }) {
      const covers = ({ match }: typeof literal) =>
        names.every((each) => each.some((name) => match(name) !== undefined));
      if (offered !== undefined && !covers(offered)) return `policy.grants.mayOffer does not cover "${id}"`;
      if (tool?.annotations?.destructiveHint !== true || covers(literal)) return undefined;
      return `"${id}" declares itself destructive: name it in policy.grants.mayOffer, without "*"`;
    },
  };
}
