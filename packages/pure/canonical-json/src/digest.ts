// SHA-256 over text, as every digest in Portico is written: lower-case hex.
import { createHmac, hash } from 'node:crypto';
import { canonicalize } from './canonicalize.js';

/** SHA-256 of the UTF-8 bytes of a text, 64 lower-case hex characters. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** SHA-256 of the canonical form of a JSON value, 64 lower-case hex characters. @throws TypeError for what is no JSON */
export function digestOf(value: unknown): string {
  return sha256Hex(canonicalize(value));
}

/** HMAC-SHA-256 (RFC 2104) of the UTF-8 bytes of a text, 64 lower-case hex characters. */
export function hmacSha256Hex(key: string, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}
