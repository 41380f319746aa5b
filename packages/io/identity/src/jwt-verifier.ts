// JSON Web Tokens (RFC 7519), checked as their rules say: the algorithm is one of the listed ones, even if the token
// names another; signature, `exp`, `nbf`, `iss` and `aud` hold. Refuses a token that cannot be checked.
import type { JsonObject, JwtRules } from '@portico/contracts';
import type { Log, VerifiedJwt, VerifyJwt } from '@portico/control-plane';
import { createEgress } from '@portico/egress';
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { createIssuerKeys, KeysUnavailable } from './issuer-keys.js';

export interface JwtVerifierDeps {
  /** A variable of the environment. */
  readonly env: (name: string) => string | undefined;
  readonly log: Log;
  /** Reads the keys of issuers; by default with a guard of its own. */
  readonly fetch?: typeof fetch | undefined;
}

/** How far the clock of an issuer may be ahead of ours. A token is never good for longer than it says. */
const clockToleranceSecs = 5;

const minSecretBytes = 32;

/** Creates the function that verifies JSON Web Tokens (RFC 7519) against the keys of their issuer. */
export function createJwtVerifier({ env, log, fetch = createEgress().fetch }: JwtVerifierDeps): VerifyJwt {
  let last: { readonly place: string; readonly keysOf: JWTVerifyGetKey } | undefined;

  /** Rules are created again with every change of the configuration; the keys stay while their place is the same. */
  const keysOf = ({ keys }: JwtRules): JWTVerifyGetKey => {
    const place = JSON.stringify(keys);
    if (last?.place !== place) {
      last = { place, keysOf: keys.kind === 'jwks' ? createIssuerKeys(keys.url, log, fetch) : secretKeys(keys.env) };
    }
    return last.keysOf;
  };

  /** RFC 7518, section 3.2: a key shorter than the hash can be guessed from a token. */
  const secretKeys = (name: string): JWTVerifyGetKey => {
    const secret = env(name) ?? '';
    const length = Buffer.byteLength(secret);
    if (length > 0 && length < minSecretBytes) {
      log('warn', `the secret of JSON Web Tokens is shorter than ${minSecretBytes} bytes; use a longer one`, { name });
    }
    return async () => secretKey(secret);
  };

  return async (rules, token): Promise<VerifiedJwt> => {
    try {
      const { payload } = await jwtVerify(token, keysOf(rules), {
        algorithms: [...rules.algorithms],
        issuer: rules.issuer,
        audience: [...rules.audiences],
        requiredClaims: ['exp'],
        clockTolerance: clockToleranceSecs,
      });
      if ((payload.exp ?? 0) * 1000 <= Date.now()) return { ok: false, reason: 'the token has expired' };
      return { ok: true, claims: payload as JsonObject }; // it was parsed from JSON
    } catch (error) {
      return { ok: false, reason: reasonOf(error) };
    }
  };
}

function secretKey(secret: string): Uint8Array {
  if (secret === '') throw new KeysUnavailable('the secret that tokens are checked with is not set');
  return new TextEncoder().encode(secret);
}

/** Says which check failed, and nothing that the token holds. */
function reasonOf(error: unknown): string {
  if (error instanceof KeysUnavailable) return error.message;
  if (error instanceof errors.JWTExpired) return 'the token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `the claim ${error.claim} of the token does not hold`;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'the algorithm of the token is not accepted';
  if (error instanceof errors.JWKSNoMatchingKey) return 'the issuer has no key for the token';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature of the token does not hold';
  return 'the token is not valid';
}
