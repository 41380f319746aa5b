// Compares the current rules with those that a record names.
import type { Explanation } from '@portico/contracts';
import type { InForce, PolicyDecisionKind } from './evidence.js';
import type { Fact } from './fact.js';

const says: Readonly<Record<PolicyDecisionKind, string>> = {
  allow: 'it would run',
  deny: 'it would be denied',
  not_allowed: 'it would not be found: allow does not cover it',
  require_approval: 'it would wait for an approval',
};

/** Whether a record was decided by the rules that are in force; undefined if that is not known. */
export function isDecidedByNow({ policyDigest }: Fact, now: InForce): boolean | undefined {
  return policyDigest === undefined ? undefined : policyDigest === now.policyDigest;
}

/** Undefined if the rules of now are those of the record. */
export function answerOfNow(fact: Fact, now: InForce | undefined): Explanation['now'] {
  if (now === undefined) return undefined;
  const isSame = isDecidedByNow(fact, now);
  if (isSame === true) return undefined;
  const why = isSame === undefined ? 'the record does not name the rules that decided' : 'the rules have changed since';
  const by = now.rule === undefined ? '' : ` (${now.rule})`;
  const { dependsOn = [] } = now;
  const unless = dependsOn.length === 0 ? '' : `, unless a rule on arguments decides (${dependsOn.join(', ')})`;
  return {
    as_of: 'now',
    decision: now.decision,
    ...(now.rule === undefined ? {} : { rule: now.rule }),
    policy_digest: now.policyDigest,
    text: `${why}; by those in force now ${says[now.decision]}${by}${unless}`,
  };
}
