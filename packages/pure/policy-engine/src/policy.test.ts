// The order of the rules, and that neither another name nor another policy opens what one closes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy, isVisible, narrow, type PolicyDecision, type PolicyRules, strictest } from './policy.js';

const rules = (some: Partial<PolicyRules>): PolicyRules => ({ allow: [], deny: [], requireApproval: [], ...some });
const order = ['allow', 'require_approval', 'not_allowed', 'deny'];
const rank = (decision: PolicyDecision) => order.indexOf(decision.kind);
const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 4 });
const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 4 });
const patterns = fc.array(pattern, { maxLength: 3 });
const anyRules = fc.record({ allow: patterns, deny: patterns, requireApproval: patterns });
const names = fc.array(name, { maxLength: 4 });

describe('compilePolicy', () => {
  it.each<[string, Partial<PolicyRules>, string[], PolicyDecision]>([
    ['allows everything without rules', {}, ['s.t'], { kind: 'allow' }],
    ['denies before it allows', { allow: ['s.t'], deny: ['s.*'] }, ['s.t'], { kind: 'deny', pattern: 's.*' }],
    ['denies by an alias', { deny: ['nick'] }, ['s.t', 'nick'], { kind: 'deny', pattern: 'nick' }],
    ['allows by an alias', { allow: ['nick'] }, ['s.t', 'nick'], { kind: 'allow' }],
    ['closes what is not on the list', { allow: ['x'], requireApproval: ['*'] }, ['s.t'], { kind: 'not_allowed' }],
    ['asks for approval', { requireApproval: ['*.t'] }, ['s.t'], { kind: 'require_approval', pattern: '*.t' }],
    ['closes what has no name', {}, [], { kind: 'not_allowed' }],
  ])('%s', (_, some, given, expected) => {
    expect(compilePolicy(rules(some)).decide(given)).toEqual(expected);
  });

  it('takes lists that are left out as empty, and one name as a list of one', () => {
    const policy = compilePolicy({ deny: ['admin.*'] });
    expect([policy.decide('admin.drop'), policy.decide('files.read'), policy.decide('')]).toEqual([
      { kind: 'deny', pattern: 'admin.*' },
      { kind: 'allow' },
      { kind: 'not_allowed' },
    ]);
    expect(narrow(policy).decide('admin.drop')).toEqual({ kind: 'deny', pattern: 'admin.*' });
  });

  it('denies if any name is denied, with any other rules', () => {
    fc.assert(
      fc.property(anyRules, names, name, fc.nat(), (some, others, denied, at) => {
        const policy = compilePolicy({ ...some, deny: [...some.deny, denied] });
        const given = others.toSpliced(at % (others.length + 1), 0, denied);
        expect(policy.decide(given).kind).toBe('deny');
      }),
    );
  });
});

describe('narrow', () => {
  it('never loosens', () => {
    fc.assert(
      fc.property(anyRules, anyRules, names, (a, b, given) => {
        const each = [compilePolicy(a), compilePolicy(b)];
        const both = rank(narrow(...each).decide(given));
        expect(both).toBe(Math.max(...each.map((policy) => rank(policy.decide(given)))));
      }),
    );
  });

  it('allows everything with a name when there is no policy', () => {
    expect(narrow().decide(['a'])).toEqual({ kind: 'allow' });
    expect(narrow().decide([])).toEqual({ kind: 'not_allowed' });
  });
});

it('takes the first of equally strict decisions', () => {
  const first: PolicyDecision = { kind: 'deny', pattern: 'a' };
  expect(strictest([{ kind: 'not_allowed' }, first, { kind: 'deny', pattern: 'b' }])).toBe(first);
  expect(strictest([])).toEqual({ kind: 'allow' });
});

it('shows what may be used, if need be after approval', () => {
  expect(isVisible({ kind: 'allow' })).toBe(true);
  expect(isVisible({ kind: 'require_approval', pattern: '*' })).toBe(true);
  expect(isVisible({ kind: 'not_allowed' })).toBe(false);
  expect(isVisible({ kind: 'deny', pattern: '*' })).toBe(false);
});
