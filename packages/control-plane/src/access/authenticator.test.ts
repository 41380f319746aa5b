// The caller that a request's credentials identify: one row for each kind of credential, valid and invalid.
import { resolveConfig } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from './authenticator.js';
import { challengeOf } from './challenge.js';
import { createMemoryJwtVerifier } from './jwt-verifier.js';

const rbac = {
  roles: { guest: {}, reader: {}, boss: { admin: true } },
  tokens: [
    { role: 'reader', token: 'r-token' },
    { role: 'boss', actorId: 'ann', tokenEnv: 'BOSS' },
    { role: 'boss', tokenEnv: 'UNSET' },
  ],
  jwt: { issuer: 'i', audience: 'a', secretEnv: 'S' },
};
const jwts = {
  'good.jwt.x': { sub: 'bob', role: ['unknown', 'reader'] },
  'stranger.jwt.x': { sub: 'bob', role: 'unknown' },
  'roleless.jwt.x': { sub: 'bob' },
  'nameless.jwt.x': { role: 'reader' },
};

function authenticatorOf(file: object, authToken: string | null = null) {
  const config = resolveConfig({ mcpServers: {}, ...file });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  return createAuthenticator({
    rbac: () => config.value.rbac,
    authToken: () => authToken,
    env: (name) => (name === 'BOSS' ? 'b-token' : undefined),
    verifyJwt: createMemoryJwtVerifier(jwts),
  });
}

describe('with roles', () => {
  it.each<[string, string, string, string]>([
    ['r-token', 'reader', 'token:', 'token'],
    ['b-token', 'boss', 'actor:ann', 'token'],
    ['good.jwt.x', 'reader', 'jwt:bob', 'jwt'],
  ])('the token %s is a %s', async (token, role, principal, actorKind) => {
    const known = await authenticatorOf({ rbac })(`Bearer ${token}`);
    expect(known).toMatchObject({
      kind: 'known',
      identity: { role, principal: expect.stringContaining(principal), actorKind },
    });
  });

  it.each<[string | undefined, 401 | 403]>([
    [undefined, 401],
    ['', 401],
    ['Bearer', 401],
    ['Bearer wrong', 401],
    ['Basic r-token', 401],
    ['Bearer undefined', 401],
    ['Bearer nameless.jwt.x', 401],
    ['Bearer other.jwt.x', 401],
    ['Bearer roleless.jwt.x', 403],
    ['Bearer stranger.jwt.x', 403],
  ])('%j is refused with %i', async (authorization, status) => {
    expect(await authenticatorOf({ rbac })(authorization)).toMatchObject({ kind: 'refused', status });
  });

  it('a caller that sends nothing has the default role, and no other has', async () => {
    const authenticate = authenticatorOf({ rbac: { ...rbac, defaultRole: 'guest' } });
    expect(await authenticate(undefined)).toEqual({
      kind: 'known',
      identity: { principal: 'anonymous', role: 'guest', actor: 'anonymous', actorKind: 'anonymous' },
    });
    for (const wrong of ['', 'Bearer', 'Bearer wrong', 'Basic x']) {
      expect(await authenticate(wrong)).toMatchObject({ kind: 'refused', status: 401 });
    }
    expect(await authenticate('Bearer stranger.jwt.x')).toMatchObject({ kind: 'refused', status: 403 });
  });
});

describe('without roles', () => {
  const local = { kind: 'known', identity: { principal: 'local', role: null, actor: null, actorKind: 'local' } };

  it('every caller is the operator, or each that has the one token', async () => {
    expect(await authenticatorOf({})(undefined)).toEqual(local);
    expect(await authenticatorOf({}, 'secret')('Bearer secret')).toEqual({
      kind: 'known',
      identity: { ...local.identity, actorKind: 'auth_token' },
    });
    expect(await authenticatorOf({}, 'secret')(undefined)).toMatchObject({ kind: 'refused', status: 401 });
  });
});

describe('a challenge', () => {
  it('names the error where there was a token, and the metadata where there are some', () => {
    const refused = { kind: 'refused', status: 401, message: 'say "who"', hasToken: false } as const;
    expect(challengeOf(refused)).toBe('Bearer realm="portico"');
    expect(challengeOf({ ...refused, hasToken: true }, 'http://h/.well-known/x')).toBe(
      'Bearer realm="portico", error="invalid_token", error_description="say ?who?", resource_metadata="http://h/.well-known/x"',
    );
  });
});
