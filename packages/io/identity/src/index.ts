// Who callers are, as their issuer says it. Tokens are verified here and nowhere else.
export { createJwtVerifier, type JwtVerifierDeps } from './jwt-verifier.js';
