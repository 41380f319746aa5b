// The rbac block with its defaults filled in, and the checks of it that a schema cannot say.
import { type Issue, joinPath } from '../issues.js';
import type { RawConfig } from './file-schema.js';
import type { JwtAlgorithm, JwtKeys, JwtRules, Rbac, Role, StaticToken, TokenSource } from './rbac.js';
import { type RawJwt, type RawRbac, type RawRole, type RawToken, symmetricAlgorithms } from './rbac-schema.js';
import { toRules } from './resolve-policy.js';

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;
const nameRule = 'role name must be 1 to 64 of A-Z a-z 0-9 _ - (no dot)';

export function rbacIssues({ rbac, profiles, authToken }: RawConfig): Issue[] {
  if (rbac == null) return [];
  const isRole = (name: string) => Object.hasOwn(rbac.roles, name);
  return [
    ...(authToken === undefined
      ? []
      : [{ path: 'authToken', message: 'does not go with `rbac`; give its holders a token of a role in rbac.tokens' }]),
    ...Object.entries(rbac.roles).flatMap(([name, role]) => roleIssues(name, role, profiles ?? {})),
    ...defaultRoleIssues(rbac, isRole),
    ...(rbac.tokens ?? []).flatMap((token, index) => tokenIssues(token, index, isRole)),
    ...repeatedTokens(rbac.tokens ?? []),
    ...(rbac.jwt == null ? [] : jwtIssues(rbac.jwt)),
  ];
}

function roleIssues(name: string, { profile }: RawRole, profiles: object): Issue[] {
  const at = (...keys: string[]) => joinPath(['rbac', 'roles', name, ...keys]);
  return [
    ...(namePattern.test(name) ? [] : [{ path: at(), message: nameRule }]),
    ...(profile == null || Object.hasOwn(profiles, profile)
      ? []
      : [{ path: at('profile'), message: `no profile "${profile}" in profiles` }]),
  ];
}

/** A caller without a token must not be able to claim every right. */
function defaultRoleIssues({ defaultRole, roles }: RawRbac, isRole: (name: string) => boolean): Issue[] {
  if (defaultRole == null) return [];
  const path = 'rbac.defaultRole';
  if (!isRole(defaultRole)) return [{ path, message: unknownRole(defaultRole) }];
  return roles[defaultRole]?.admin === true
    ? [{ path, message: `"${defaultRole}" is an admin role; requests without a token cannot have one` }]
    : [];
}

/** With two roles of one token the order would decide. */
function repeatedTokens(tokens: readonly RawToken[]): Issue[] {
  return tokens.flatMap(({ token, tokenEnv, tokenSha256 }, index) => {
    const first = tokens.findIndex(
      (other) =>
        (token != null && other.token === token) ||
        (tokenEnv != null && other.tokenEnv === tokenEnv) ||
        (tokenSha256 != null && other.tokenSha256?.toLowerCase() === tokenSha256.toLowerCase()),
    );
    if (first === index || first < 0) return [];
    return [{ path: joinPath(['rbac', 'tokens', index]), message: `is the token of rbac.tokens[${first}] again` }];
  });
}

function tokenIssues(
  { role, token, tokenEnv, tokenSha256 }: RawToken,
  index: number,
  isRole: (name: string) => boolean,
): Issue[] {
  const at = (...keys: string[]) => joinPath(['rbac', 'tokens', index, ...keys]);
  const sources = [token, tokenEnv, tokenSha256].filter((source) => source != null).length;
  const found = sources === 0 ? 'has none' : 'has several';
  return [
    ...(isRole(role) ? [] : [{ path: at('role'), message: unknownRole(role) }]),
    ...(sources === 1
      ? []
      : [{ path: at(), message: `needs exactly one of \`token\`, \`tokenEnv\` and \`tokenSha256\`; it ${found}` }]),
    ...(token != null && !/^[\x21-\x7e]+$/.test(token)
      ? [{ path: at('token'), message: 'must hold nothing but visible ASCII characters, as a header can carry them' }]
      : []),
  ];
}

function unknownRole(role: string): string {
  return `no role "${role}" in rbac.roles`;
}

function jwtIssues({ jwksUrl, secretEnv, algorithms }: RawJwt): Issue[] {
  const at = (...keys: (string | number)[]) => joinPath(['rbac', 'jwt', ...keys]);
  if ((jwksUrl == null) === (secretEnv == null)) {
    const found = jwksUrl == null ? 'has neither' : 'has both';
    return [{ path: at(), message: `needs exactly one of \`jwksUrl\` and \`secretEnv\`; it ${found}` }];
  }
  const issues = (algorithms ?? []).flatMap((algorithm, index) =>
    isSymmetric(algorithm) === (secretEnv != null)
      ? []
      : [
          {
            path: at('algorithms', index),
            message: `${algorithm} does not go with \`${jwksUrl == null ? 'secretEnv' : 'jwksUrl'}\``,
          },
        ],
  );
  if (jwksUrl != null && !isTrustworthy(jwksUrl)) {
    issues.push({ path: at('jwksUrl'), message: 'must be an https: address, or an http: one of loopback' });
  }
  return issues;
}

function isSymmetric(algorithm: JwtAlgorithm): boolean {
  return symmetricAlgorithms.some((known) => known === algorithm);
}

/** Keys that an attacker on the network could replace would prove nothing. */
function isTrustworthy(url: string): boolean {
  return /^https:\/\/[^/\s]+/i.test(url) || /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i.test(url);
}

export function toRbac(raw: RawRbac): Rbac {
  return {
    defaultRole: raw.defaultRole ?? null,
    roles: new Map(Object.entries(raw.roles).map(([name, role]) => [name, toRole(role)])),
    tokens: (raw.tokens ?? []).map(toToken),
    jwt: raw.jwt == null ? null : toJwt(raw.jwt),
  };
}

function toRole(raw: RawRole): Role {
  return {
    ...toRules(raw),
    redactKeys: raw.redactKeys ?? [],
    profile: raw.profile ?? null,
    isAdmin: raw.admin ?? false,
  };
}

function toToken(raw: RawToken): StaticToken {
  return { role: raw.role, actorId: raw.actorId ?? null, source: toSource(raw) };
}

function toSource({ token, tokenEnv, tokenSha256 }: RawToken): TokenSource {
  if (token != null) return { kind: 'value', token };
  if (tokenEnv != null) return { kind: 'env', name: tokenEnv };
  return { kind: 'sha256', digest: (tokenSha256 ?? '').toLowerCase() };
}

function toJwt({ issuer, audience, jwksUrl, secretEnv, algorithms, roleClaim, actorClaim }: RawJwt): JwtRules {
  const keys: JwtKeys = jwksUrl == null ? { kind: 'secret', env: secretEnv ?? '' } : { kind: 'jwks', url: jwksUrl };
  return {
    issuer,
    audiences: typeof audience === 'string' ? [audience] : audience,
    keys,
    algorithms: algorithms ?? (keys.kind === 'secret' ? ['HS256'] : ['RS256', 'ES256']),
    roleClaim: roleClaim ?? 'role',
    actorClaim: actorClaim ?? 'sub',
  };
}
