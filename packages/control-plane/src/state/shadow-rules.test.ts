// Shadow rules decide nothing: with any of them, the verdicts, the lists and the digest are the same as without.
import { type Config, type PolicyRules, resolveConfig } from '@portico/contracts';
import { isStricter } from '@portico/policy-engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shadowOf } from './permit.js';
import { compilePlanePolicy } from './plane-policy.js';

const names = ['a.x', 'a.y', 'b.x', 'nick'] as const;
const pattern = fc.constantFrom('a.x', 'a.*', '*.x', 'b.*', 'nick', '*', 'none');
const list = fc.array(pattern, { maxLength: 3 });
const rules: fc.Arbitrary<PolicyRules> = fc.record({ allow: list, deny: list, requireApproval: list });
const withShadow = fc
  .tuple(rules, fc.option(rules))
  .map(([own, shadow]) => (shadow === null ? own : { ...own, shadow }));
const viewer = fc.record({ profile: fc.constantFrom(null, 'p'), role: fc.constantFrom(null, 'r', 'gone') });
const thing = fc.subarray([...names], { minLength: 1 });

const base = resolveConfig({
  mcpServers: { a: { command: 'a' } },
  profiles: { p: { servers: ['a'], policy: {} } },
  rbac: { roles: { r: {} }, tokens: [] },
});
if (!base.ok) throw new Error(JSON.stringify(base.issues));
const config: Config = base.value;

function configured(policy: PolicyRules, ofProfile: PolicyRules, ofRole: PolicyRules): Config {
  const { profiles, rbac } = config;
  const [profile, role] = [profiles.get('p'), rbac?.roles.get('r')];
  if (profile === undefined || role === undefined || rbac === null) throw new Error('not configured');
  return {
    ...config,
    policy: { ...config.policy, ...policy },
    profiles: new Map([['p', { ...profile, policy: ofProfile }]]),
    rbac: { ...rbac, roles: new Map([['r', { ...role, ...ofRole }]]) },
  };
}

const stripped = ({ allow, deny, requireApproval }: PolicyRules): PolicyRules => ({ allow, deny, requireApproval });

describe('rules on trial', () => {
  it('change no verdict, no list and no digest', () => {
    fc.assert(
      fc.property(withShadow, withShadow, withShadow, viewer, thing, (one, two, three, who, spelt) => {
        const tried = compilePlanePolicy(configured(one, two, three));
        const plain = compilePlanePolicy(configured(stripped(one), stripped(two), stripped(three)));
        expect(tried.decide(who, [spelt])).toEqual(plain.decide(who, [spelt]));
        expect([tried.digest, tried.base.digestible]).toEqual([plain.digest, plain.base.digestible]);
        expect(tried.base.isVisible(spelt)).toBe(plain.base.isVisible(spelt));
        expect(tried.profileRules('p')?.isVisible(spelt)).toBe(plain.profileRules('p')?.isVisible(spelt));
        expect(plain.shadow).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it('are evaluated as the rules in force would be, and named where they are stricter than those', () => {
    fc.assert(
      fc.property(withShadow, withShadow, withShadow, viewer, thing, (one, two, three, who, spelt) => {
        const { decide, shadow } = compilePlanePolicy(configured(one, two, three));
        const none = { allow: [], deny: [], requireApproval: [] };
        const [own, ofProfile, ofRole] = [one, two, three].map((each) => each.shadow ?? none);
        const asEnforced = compilePlanePolicy(configured(own ?? none, ofProfile ?? none, ofRole ?? none));
        if (shadow === undefined) return;
        const expected = asEnforced.decide(who, [spelt]);
        expect(shadow(who, [spelt])).toEqual(expected);
        const permission = decide(who, [spelt]);
        if (permission.kind !== 'allow' && permission.kind !== 'require_approval') return;
        const target = { kind: 'tool', server: 'a', id: 'a.x', entry: 'a.x', names: [spelt], name: 'x' } as const;
        const named = shadowOf(shadow, { caller: { ...who, actor: null } }, target, { verdict: permission.kind });
        expect(named !== undefined).toBe(isStricter(expected, permission));
      }),
      { numRuns: 2000 },
    );
  });
});
