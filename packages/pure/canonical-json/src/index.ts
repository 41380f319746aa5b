// One canonical form of JSON and one digest for all of Portico.
export { canonicalize } from './canonicalize.js';
export { digestOf, hmacSha256Hex, sha256Hex } from './digest.js';
export { isCanonical } from './is-canonical.js';
