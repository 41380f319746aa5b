// One canonical form of JSON and one digest for all of Portico.
export {
  allocateBytes,
  canonicalize,
  digestOf,
  hmacSha256Hex,
  plainText,
  sha256Hex,
  utf8Length,
  type WritableBytes,
} from './canonicalize.js';
export { isCanonical } from './is-canonical.js';
