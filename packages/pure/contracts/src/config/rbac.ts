// Access rules of the resolved configuration. Types only.
import type { PolicyRules } from './policy-rules.js';
import type { jwtAlgorithms } from './rbac-schema.js';

/** The rights of a role. Its rules narrow the general policy and that of its profile. */
export interface Role extends PolicyRules {
  /** Key names that are redacted for its holders, besides those of the policy. */
  readonly redactKeys: readonly string[];
  /** The only profile that it sees; null leaves that to each request. */
  readonly profile: string | null;
  readonly isAdmin: boolean;
}

export type TokenSource =
  | { readonly kind: 'value'; readonly token: string }
  | { readonly kind: 'env'; readonly name: string }
  /** Lower-case hex. */
  | { readonly kind: 'sha256'; readonly digest: string };

export interface StaticToken {
  readonly role: string;
  /** Null if the file names no actor. */
  readonly actorId: string | null;
  readonly source: TokenSource;
}

export type JwtAlgorithm = (typeof jwtAlgorithms)[number];

export type JwtKeys =
  | { readonly kind: 'jwks'; readonly url: string }
  | { readonly kind: 'secret'; readonly env: string };

/** How JSON Web Tokens (RFC 7519) are checked. */
export interface JwtRules {
  readonly issuer: string;
  /** A token must have one of them. */
  readonly audiences: readonly string[];
  readonly keys: JwtKeys;
  readonly algorithms: readonly JwtAlgorithm[];
  readonly roleClaim: string;
  readonly actorClaim: string;
}

export interface Rbac {
  /** Role of requests without a token; null refuses them. */
  readonly defaultRole: string | null;
  readonly roles: ReadonlyMap<string, Role>;
  readonly tokens: readonly StaticToken[];
  /** Null accepts none. */
  readonly jwt: JwtRules | null;
}
