// The canonical form of JSON (RFC 8785), and digests: equal values give equal text, with keys in any order. It never
// accepts values that JSON does not have: no functions, no NaN, no cycles, no lone surrogates.
import { createHmac, hash } from 'node:crypto';
import { canonicalNumber, exactNumbers, exactTextOf } from '@portico/contracts';

const maxLevels = 1000;

/** Printable ASCII that JSON has no escape for: in quotes, it is its own canonical text. Most strings are. */
export const plainText = /^[ !#-[\]-~]*$/;

/**
 * Canonical text of a JSON value. Object members that are `undefined` are left out. Loops in one function, since every
 * call comes by here.
 * @param levels of arrays and objects that the value may have
 * @throws TypeError for anything else, and for more levels
 */
export function canonicalize(value: unknown, levels = maxLevels): string {
  if (levels < 0) throw new TypeError('JSON that is nested deeper than the given levels has no canonical form');
  if (typeof value === 'string') {
    if (plainText.test(value)) return `"${value}"`;
    // RFC 8785, 3.2.2.2: as JSON.stringify escapes it; a lone surrogate, which that escapes too, is no Unicode text.
    const text = JSON.stringify(value);
    if (!text.includes('\\ud') || !/[\uD800-\uDFFF]/u.test(value)) return text;
    throw new TypeError('a string with a lone surrogate has no canonical form');
  }
  // RFC 8785, 3.2.2.3: numbers as ECMAScript writes them, with -0 as 0.
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value);
  if (typeof value !== 'object') throw new TypeError(`${describeNonJson(value)} has no canonical form`);
  let text = '';
  const isExact = exactNumbers in value;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const exact = isExact ? exactMember(value, at, value[at]) : undefined;
      text += `${at > 0 ? ',' : ''}${exact ?? canonicalize(value[at], levels - 1)}`;
    }
    return `[${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  // RFC 8785, 3.2.3: sorted by the UTF-16 code units of their names, which is how JavaScript compares strings.
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member === undefined) continue;
    const exact = isExact ? exactMember(value, name, member) : undefined;
    text += `${text === '' ? '' : ','}${canonicalize(name)}:${exact ?? canonicalize(member, levels - 1)}`;
  }
  return `{${text}}`;
}

function describeNonJson(value: unknown): string {
  return value === undefined ? 'undefined' : `a ${typeof value} such as ${String(value)}`;
}

/** The text of a number, if the container keeps it: a double may not hold it. */
function exactMember(container: object, key: string | number, member: unknown): string | undefined {
  const text = typeof member === 'number' ? exactTextOf(container, key, member) : undefined;
  return text === undefined ? undefined : canonicalNumber(text);
}

/** SHA-256 of the UTF-8 bytes of a text, as every digest in Portico is written: 64 lower-case hex characters. */
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

/** Bytes that texts are written into. */
export interface WritableBytes extends Uint8Array {
  /** Writes a text as UTF-8 from a byte on, and gives the bytes written. Text beyond the room is left out. */
  write(text: string, at: number): number;
}

/** In memory of their own, not initialized. */
export const allocateBytes: (length: number) => WritableBytes = Buffer.allocUnsafeSlow;

/** Bytes of a text in UTF-8. */
export const utf8Length: (text: string) => number = Buffer.byteLength;
