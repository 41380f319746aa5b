// Identifies callers by the tokens of their issuer. No other package verifies tokens.
export { createJwtVerifier, type JwtVerifierDeps } from './jwt-verifier.js';
