// Identifies the caller of a request by its credentials: a static token, a JSON Web Token, or none. It reads the rules
// in force at each request, and never treats invalid credentials as none.
import { sha256Hex } from '@portico/canonical-json';
import type { Rbac } from '@portico/contracts';
import {
  actorKindOf,
  bearerToken,
  compileTokens,
  hasToken,
  identifyClaims,
  type Principal,
  principalOfToken,
  type TokenDigest,
  type TokenSet,
} from '@portico/policy-engine';
import { type Caller, operator, tokenOperator } from '../call/call.js';
import type { VerifyJwt } from './jwt-verifier.js';

/** An identified caller, without the view that it asks for. */
export type Identity = Omit<Caller, 'profile'>;

export type Authentication =
  | { readonly kind: 'known'; readonly identity: Identity }
  /** 401 for missing or invalid credentials, 403 for a role that does not exist. */
  | {
      readonly kind: 'refused';
      readonly status: 401 | 403;
      readonly message: string;
      /** Whether the request carries a bearer token, which then is a wrong one. */
      readonly hasToken: boolean;
    };

/** The connection of a request, compared by identity: `net.Socket` in Node. */
export type Connection = object;

/**
 * Gives a promise where a token has to be verified, or a connection looked at.
 * @param authorization the header of that name
 * @param connection undefined if the request comes from this very process
 */
export type Authenticate = (
  authorization: string | undefined,
  connection?: Connection | undefined,
) => Authentication | Promise<Authentication>;

export interface AuthenticatorDeps {
  /** The rules in force; null for none. */
  readonly rbac: () => Rbac | null;
  /** The one token that is asked for where there are no rules; null asks for none. */
  readonly authToken: () => string | null;
  /** A variable of the environment. */
  readonly env: (name: string) => string | undefined;
  readonly verifyJwt: VerifyJwt;
}

/**
 * Creates the function that identifies a caller by its `Authorization` header: tokens of `rbac`, JSON Web Tokens, or `authToken`.
 * Wrong credentials are refused, never treated as anonymous.
 */
export function createAuthenticator({ rbac, authToken, env, verifyJwt }: AuthenticatorDeps): Authenticate {
  const tokensOf = createTokenSets(env);
  return (authorization) => {
    const rules = rbac();
    if (rules === null) return byAuthToken(authToken(), authorization);
    const given = bearerToken(authorization);
    if (given === undefined) return withoutToken(rules, authorization);
    const known = tokensOf(rules).find(given);
    if (known !== undefined) return inRole(rules, principalOfToken(known), [known.role]);
    return rules.jwt === null ? refused('the token is not known') : byJwt(rules, rules.jwt, given, verifyJwt);
  };
}

/** Whether credentials that were good once still are, for the same caller in the same role. */
export function createStanding(
  authenticate: Authenticate,
  authorization: string | undefined,
  { principal, role }: Identity,
  connection?: Connection | undefined,
): () => Promise<boolean> {
  return async () => {
    const now = await authenticate(authorization, connection);
    return now.kind === 'known' && now.identity.principal === principal && now.identity.role === role;
  };
}

function byAuthToken(token: string | null, authorization: string | undefined): Authentication {
  if (token === null) return { kind: 'known', identity: operator };
  if (hasToken(authorization, token)) return { kind: 'known', identity: tokenOperator };
  const message = 'send the configured authToken as a bearer token';
  return { kind: 'refused', status: 401, message, hasToken: false };
}

/** Credentials of another scheme are wrong ones: the sender means to be identified. */
function withoutToken(rules: Rbac, authorization: string | undefined): Authentication {
  const { defaultRole } = rules;
  if (authorization === undefined && defaultRole !== null) return inRole(rules, anonymous, [defaultRole]);
  return { kind: 'refused', status: 401, message: 'send a token as a bearer token', hasToken: false };
}

/** A token cannot name this principal: theirs have a colon. */
const anonymous: Principal = { id: 'anonymous', actor: 'anonymous' };

type Jwt = NonNullable<Rbac['jwt']>;

async function byJwt(rules: Rbac, jwt: Jwt, token: string, verify: VerifyJwt): Promise<Authentication> {
  const verified = await verify(jwt, token);
  if (!verified.ok) return refused(verified.reason);
  const claims = identifyClaims(verified.claims, jwt);
  if (claims === undefined) return refused(`the token names no user: it has no claim ${jwt.actorClaim}`);
  return inRole(rules, claims.principal, claims.roles);
}

/** The first role that exists counts. */
function inRole({ roles }: Rbac, { id, actor }: Principal, names: readonly string[]): Authentication {
  const role = names.find((name) => roles.has(name));
  if (role !== undefined)
    return { kind: 'known', identity: { principal: id, role, actor, actorKind: actorKindOf(id) } };
  const message = names.length === 0 ? 'the token names no role' : 'the token names no role that exists';
  return { kind: 'refused', status: 403, message, hasToken: true };
}

function refused(message: string): Authentication {
  return { kind: 'refused', status: 401, message, hasToken: true };
}

/** Compiled once for rules that stay the same. A variable that is not set is no token. */
function createTokenSets(env: (name: string) => string | undefined): (rules: Rbac) => TokenSet {
  const sets = new WeakMap<Rbac, TokenSet>();
  return (rules) => {
    const known = sets.get(rules);
    if (known !== undefined) return known;
    const made = compileTokens(rules.tokens.flatMap((token) => digestOf(token, env)));
    sets.set(rules, made);
    return made;
  };
}

function digestOf(
  { role, actorId, source }: Rbac['tokens'][number],
  env: (name: string) => string | undefined,
): readonly TokenDigest[] {
  const token = source.kind === 'env' ? env(source.name) : source.kind === 'value' ? source.token : undefined;
  if (source.kind === 'sha256') return [{ role, actorId, sha256: source.digest }];
  return token ? [{ role, actorId, sha256: sha256Hex(token) }] : [];
}
