// Owner of keys, tickets and operations: a name that stays the same for one holder, and that no other can take.
import type { ActorKind, JsonObject, JsonValue } from '@portico/contracts';
import { isJsonObject } from '@portico/contracts';
import type { TokenDigest } from './static-tokens.js';

export interface Principal {
  /** Unique over all kinds of credentials. */
  readonly id: string;
  /** As the audit log names it. No text of the form `key: value`: that would be taken for a secret. */
  readonly actor: string;
}

const shownDigits = 12;

/** Two tokens of one actor are one principal, so that a token can be replaced. A token without an actor is a principal of its own. */
export function principalOfToken({ actorId, sha256 }: TokenDigest): Principal {
  if (actorId !== null) return { id: `actor:${actorId}`, actor: actorId };
  return { id: `token:${sha256}`, actor: `token-${sha256.slice(0, shownDigits)}` };
}

const kindByScheme: Readonly<Record<string, ActorKind>> = {
  actor: 'token',
  token: 'token',
  jwt: 'jwt',
  uid: 'other_user',
  anonymous: 'anonymous',
};

/**
 * How a principal was authenticated, by its name alone; undefined for the operator of this machine, for whom it varies.
 */
export function actorKindOf(principalId: string): ActorKind | undefined {
  const [scheme = ''] = principalId.split(':', 1);
  return Object.hasOwn(kindByScheme, scheme) ? kindByScheme[scheme] : undefined;
}

export interface Claims {
  readonly principal: Principal;
  /** Roles that the token names, as it names them; none of them need exist. */
  readonly roles: readonly string[];
}

/** Identifies the holder of a verified token by its claims; undefined if they name no one. */
export function identifyClaims(
  claims: JsonObject,
  { actorClaim, roleClaim }: { readonly actorClaim: string; readonly roleClaim: string },
): Claims | undefined {
  const actor = claimAt(claims, actorClaim);
  if (typeof actor !== 'string' || actor === '') return undefined;
  const role = claimAt(claims, roleClaim);
  const roles = (Array.isArray(role) ? role : [role]).filter((name) => typeof name === 'string');
  return { principal: { id: `jwt:${actor}`, actor }, roles };
}

/** A claim by its name, or, without such a claim, by a path of names such as `realm_access.roles`. */
function claimAt(claims: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<JsonValue | undefined>(
      (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      claims,
    );
}
