// Roles narrow, tokens are found by their digests, and no caller has the name of another.
import { sha256Hex } from '@portico/canonical-json';
import type { Role } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy, compileRoles, narrow } from './policy.js';
import { identifyClaims, principalOfToken } from './principals.js';
import { compileTokens } from './static-tokens.js';

const role = (some: Partial<Role> = {}): Role => ({
  allow: [],
  deny: [],
  requireApproval: [],
  redactKeys: [],
  profile: null,
  isAdmin: false,
  ...some,
});

describe('a role', () => {
  const roles = compileRoles(
    new Map([
      ['free', role()],
      ['bound', role({ profile: 'dev' })],
    ]),
  );

  it.each<[string | null, string | null, string | null | undefined]>([
    [null, null, null],
    [null, 'dev', 'dev'],
    ['free', null, null],
    ['free', 'dev', 'dev'],
    ['bound', null, 'dev'],
    ['bound', 'dev', 'dev'],
    ['bound', 'ops', undefined],
    ['bound', '', undefined],
    ['unknown', null, undefined],
    ['constructor', 'dev', undefined],
  ])('%s that asks for the profile %s looks through %s', (name, profile, expected) => {
    expect(roles.profileOf({ role: name, profile })).toBe(expected);
  });

  it('never allows what the base policy does not', () => {
    const patterns = fc.array(fc.constantFrom('*', 'a.*', 'a.x', 'b.x', 'b.*'), { maxLength: 3 });
    const rules = fc.record({ allow: patterns, deny: patterns, requireApproval: patterns });
    fc.assert(
      fc.property(rules, rules, fc.constantFrom('a.x', 'a.y', 'b.x', 'c.z'), (base, own, id) => {
        const before = compilePolicy(base).decide([id]).kind;
        const ofRole = compileRoles(new Map([['r', role(own)]])).policyOf('r') ?? compilePolicy(base);
        const after = narrow(compilePolicy(base), ofRole).decide([id]).kind;
        const order = ['allow', 'require_approval', 'not_allowed', 'deny'];
        expect(order.indexOf(after)).toBeGreaterThanOrEqual(order.indexOf(before));
      }),
    );
  });
});

describe('tokens', () => {
  const entry = (token: string, more: object = {}) => ({ role: 'r', actorId: null, sha256: sha256Hex(token), ...more });
  const tokens = compileTokens([entry('one', { role: 'first' }), entry('one', { role: 'second' }), entry('two')]);

  it('are found by their digests, the first entry counting', () => {
    expect(tokens.find('one')?.role).toBe('first');
    expect(tokens.find('two')?.role).toBe('r');
  });

  it.each(['', 'On', 'one ', 'ONE', sha256Hex('one')])('%j is not a role', (token) => {
    expect(tokens.find(token)).toBeUndefined();
  });
});

describe('a principal', () => {
  it('is the actor, where one is named, whichever token they use', () => {
    const ann = { role: 'r', actorId: 'ann' };
    const first = principalOfToken({ ...ann, sha256: sha256Hex('1') });
    expect(first).toEqual({ id: 'actor:ann', actor: 'ann' });
    expect(principalOfToken({ ...ann, sha256: sha256Hex('2') })).toEqual(first);
  });

  it('is the token, where the claims name no one', () => {
    const sha256 = sha256Hex('1');
    expect(principalOfToken({ role: 'r', actorId: null, sha256 })).toEqual({
      id: `token:${sha256}`,
      actor: 'token-6b86b273ff34',
    });
  });

  it('of an issuer is never one of ours', () => {
    const claims = identifyClaims({ sub: 'ann', role: 'r' }, { actorClaim: 'sub', roleClaim: 'role' });
    expect(claims).toEqual({ principal: { id: 'jwt:ann', actor: 'ann' }, roles: ['r'] });
  });

  it.each<[object, string, readonly string[]]>([
    [{ role: 'r' }, 'role', ['r']],
    [{ role: ['a', 1, 'b'] }, 'role', ['a', 'b']],
    [{ realm: { roles: ['a'] } }, 'realm.roles', ['a']],
    [{ 'https://x.example/role': 'r' }, 'https://x.example/role', ['r']],
    [{ role: { r: true } }, 'role', []],
    [{}, 'constructor', []],
    [{}, '__proto__.constructor', []],
  ])('the roles of %j by %s are %j', (more, roleClaim, expected) => {
    expect(identifyClaims({ sub: 'ann', ...more }, { actorClaim: 'sub', roleClaim })?.roles).toEqual(expected);
  });

  it.each([{}, { sub: '' }, { sub: 7 }, { sub: ['ann'] }])('%j names no one', (claims) => {
    expect(identifyClaims({ ...claims }, { actorClaim: 'sub', roleClaim: 'role' })).toBeUndefined();
  });
});
