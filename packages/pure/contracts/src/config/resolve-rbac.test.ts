// The rbac block: defaults, and everything that is wrong with one, with its path.
import { describe, expect, it } from 'vitest';
import { resolveConfig } from './resolve-config.js';

const roles = { reader: {}, boss: { admin: true } };
const jwt = { issuer: 'https://issuer.example', audience: 'portico', jwksUrl: 'https://issuer.example/jwks' };

function resolve(rbac: unknown, more: object = {}) {
  return resolveConfig({ mcpServers: {}, profiles: { dev: { servers: [] } }, rbac, ...more });
}

function issuesOf(rbac: unknown, more: object = {}): readonly string[] {
  const parsed = resolve(rbac, more);
  return parsed.ok ? [] : parsed.issues.map(({ path, message }) => `${path}: ${message}`);
}

describe('a block', () => {
  it('has its defaults filled in', () => {
    const digest = 'AB'.repeat(32);
    const parsed = resolve({
      roles: { reader: { allow: ['a.*'], profile: 'dev', redactKeys: ['ssn'] }, boss: { admin: true } },
      tokens: [
        { role: 'reader', token: 't' },
        { role: 'boss', actorId: 'ann', tokenEnv: 'T' },
        { role: 'boss', tokenSha256: digest },
      ],
      jwt,
    });
    expect(parsed.ok && parsed.value.rbac).toEqual({
      defaultRole: null,
      roles: new Map([
        [
          'reader',
          { allow: ['a.*'], deny: [], requireApproval: [], redactKeys: ['ssn'], profile: 'dev', isAdmin: false },
        ],
        ['boss', { allow: [], deny: [], requireApproval: [], redactKeys: [], profile: null, isAdmin: true }],
      ]),
      tokens: [
        { role: 'reader', actorId: null, source: { kind: 'value', token: 't' } },
        { role: 'boss', actorId: 'ann', source: { kind: 'env', name: 'T' } },
        { role: 'boss', actorId: null, source: { kind: 'sha256', digest: digest.toLowerCase() } },
      ],
      jwt: {
        issuer: 'https://issuer.example',
        audiences: ['portico'],
        keys: { kind: 'jwks', url: 'https://issuer.example/jwks' },
        algorithms: ['RS256', 'ES256'],
        roleClaim: 'role',
        actorClaim: 'sub',
      },
    });
  });

  it('that is null counts as absent', () => {
    const parsed = resolve(null);
    expect(parsed.ok && parsed.value.rbac).toBeNull();
  });
});

describe('what is wrong is refused with its path', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['no roles', {}, ['rbac.roles: is required']],
    ['an unknown default role', { roles, defaultRole: 'x' }, ['rbac.defaultRole: no role "x" in rbac.roles']],
    [
      'an inherited name',
      { roles, defaultRole: 'constructor' },
      ['rbac.defaultRole: no role "constructor" in rbac.roles'],
    ],
    [
      'everybody an admin',
      { roles, defaultRole: 'boss' },
      ['rbac.defaultRole: "boss" is an admin role; requests without a token cannot have one'],
    ],
    [
      'a role name that no ETag can hold',
      { roles: { 'a.b': {} } },
      ['rbac.roles["a.b"]: role name must be 1 to 64 of A-Z a-z 0-9 _ - (no dot)'],
    ],
    [
      'an unknown profile',
      { roles: { reader: { profile: 'x' } } },
      ['rbac.roles.reader.profile: no profile "x" in profiles'],
    ],
    [
      'a token of an unknown role',
      { roles, tokens: [{ role: 'x', token: 't' }] },
      ['rbac.tokens[0].role: no role "x" in rbac.roles'],
    ],
    [
      'a token without a source',
      { roles, tokens: [{ role: 'reader' }] },
      ['rbac.tokens[0]: needs exactly one of `token`, `tokenEnv` and `tokenSha256`; it has none'],
    ],
    [
      'a token with two sources',
      { roles, tokens: [{ role: 'reader', token: 't', tokenEnv: 'T' }] },
      ['rbac.tokens[0]: needs exactly one of `token`, `tokenEnv` and `tokenSha256`; it has several'],
    ],
    [
      'one token of two roles',
      {
        roles,
        tokens: [
          { role: 'reader', token: 't' },
          { role: 'boss', token: 't' },
        ],
      },
      ['rbac.tokens[1]: is the token of rbac.tokens[0] again'],
    ],
    [
      'a digest that is none',
      { roles, tokens: [{ role: 'reader', tokenSha256: 'abc' }] },
      ['rbac.tokens[0].tokenSha256: must be the SHA-256 digest of the token as 64 hexadecimal digits'],
    ],
    [
      'a token that no header can carry',
      { roles, tokens: [{ role: 'reader', token: 'a b' }] },
      ['rbac.tokens[0].token: must hold nothing but visible ASCII characters, as a header can carry them'],
    ],
    [
      'both kinds of keys',
      { roles, jwt: { ...jwt, secretEnv: 'S' } },
      ['rbac.jwt: needs exactly one of `jwksUrl` and `secretEnv`; it has both'],
    ],
    [
      'no keys',
      { roles, jwt: { issuer: 'i', audience: 'a' } },
      ['rbac.jwt: needs exactly one of `jwksUrl` and `secretEnv`; it has neither'],
    ],
    [
      'an HMAC with public keys',
      { roles, jwt: { ...jwt, algorithms: ['RS256', 'HS256'] } },
      ['rbac.jwt.algorithms[1]: HS256 does not go with `jwksUrl`'],
    ],
    [
      'a signature with a secret',
      { roles, jwt: { issuer: 'i', audience: 'a', secretEnv: 'S', algorithms: ['ES256'] } },
      ['rbac.jwt.algorithms[0]: ES256 does not go with `secretEnv`'],
    ],
    [
      'keys that anybody could replace',
      { roles, jwt: { ...jwt, jwksUrl: 'http://issuer.example/jwks' } },
      ['rbac.jwt.jwksUrl: must be an https: address, or an http: one of loopback'],
    ],
    [
      'a name that only begins like loopback',
      { roles, jwt: { ...jwt, jwksUrl: 'http://localhost.evil.example/jwks' } },
      ['rbac.jwt.jwksUrl: must be an https: address, or an http: one of loopback'],
    ],
  ])('%s', (_what, rbac, issues) => {
    expect(issuesOf(rbac)).toEqual(issues);
  });

  it.each(['none', 'NONE', 'HS1'])('the algorithm %s', (algorithm) => {
    const [issue] = issuesOf({ roles, jwt: { ...jwt, algorithms: [algorithm] } });
    expect(issue).toMatch(/^rbac\.jwt\.algorithms\[0\]: expected /);
  });

  it('an authToken beside it, which would grant a role that was not configured', () => {
    expect(issuesOf({ roles }, { authToken: 't' })).toEqual([
      'authToken: does not go with `rbac`; give its holders a token of a role in rbac.tokens',
    ]);
  });
});

it('fields that are not known are refused', () => {
  const rbac = { roles: { reader: { denny: [] } }, tokens: [{ role: 'reader', token: 't', x: 1 }], jwt, admins: [] };
  expect(issuesOf(rbac)).toEqual([
    'rbac.admins: is no field that Portico knows; remove it',
    'rbac.roles.reader.denny: is no field that Portico knows; did you mean "deny"?',
    'rbac.tokens[0].x: is no field that Portico knows; remove it',
  ]);
});
