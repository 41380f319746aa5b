// The port to the verification of JSON Web Tokens, and an implementation with a fixed list of tokens.
import type { JsonObject, JwtRules } from '@portico/contracts';

export type VerifiedJwt =
  | { readonly ok: true; readonly claims: JsonObject }
  /** In words that name no secret. */
  | { readonly ok: false; readonly reason: string };

/** Checks signature, algorithm, `exp`, `nbf`, `iss` and `aud`. Never rejects: what cannot be checked is refused. */
export type VerifyJwt = (rules: JwtRules, token: string) => Promise<VerifiedJwt>;

/** Takes these tokens, and no others. */
export function createMemoryJwtVerifier(tokens: Readonly<Record<string, JsonObject>> = {}): VerifyJwt {
  return async (_rules, token) => {
    const claims = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
    return claims === undefined ? { ok: false, reason: 'the token is not known' } : { ok: true, claims };
  };
}
