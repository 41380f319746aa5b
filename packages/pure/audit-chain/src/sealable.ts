// Changes a value so that it has a canonical form: an event is never left out because it holds an invalid text. It
// never changes a value that already has one, and it never throws.
import type { JsonObject, JsonValue } from '@portico/contracts';
import { Written } from './written.js';

/** Levels of arrays and objects that are kept; far more than a message may have, far fewer than the stack bears. */
export const maxSealedLevels = 500;

/** Replaces values that nest deeper than that, or without end. */
const tooDeep = '[nested too deep]';

/**
 * A copy that RFC 8785 can write: half a surrogate pair becomes U+FFFD, in texts and in names (where two names become
 * one, the last member stays); -0 becomes 0; members that are undefined are left out; what JSON has no word for
 * (NaN, a function) becomes null.
 */
export function toSealable(value: unknown, depth = 0): JsonValue {
  if (typeof value === 'string') return toWellFormed(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (value instanceof Written) return toSealable(value.value, depth);
  if (depth >= maxSealedLevels) return tooDeep;
  return Array.isArray(value) ? sealableItems(value, depth) : sealableMembers(value, depth);
}

function sealableItems(items: readonly unknown[], depth: number): JsonValue[] {
  const sealable: JsonValue[] = [];
  for (let at = 0; at < items.length; at += 1) sealable.push(toSealable(items[at], depth + 1));
  return sealable;
}

function sealableMembers(value: object, depth: number): JsonObject {
  const sealable: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const own = toWellFormed(name);
    // Assigned to, this name would be the prototype.
    if (own === '__proto__')
      Object.defineProperty(sealable, own, { ...ownMember, value: toSealable(member, depth + 1) });
    else sealable[own] = toSealable(member, depth + 1);
  }
  return sealable;
}

const ownMember = { writable: true, enumerable: true, configurable: true };

/** Any half; most texts have none, which is seen at once. */
const half = /[\uD800-\uDFFF]/;
/** Whole pairs are one character to this pattern. */
const halfPairs = /[\uD800-\uDFFF]/gu;

/** As `String.prototype.toWellFormed`, which ES2023 does not know. */
function toWellFormed(text: string): string {
  return half.test(text) ? text.replaceAll(halfPairs, '\uFFFD') : text;
}
