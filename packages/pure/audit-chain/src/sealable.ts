// What a value becomes so that it has a canonical form: an event is never left out because it holds an odd text.
// It never changes a value that already has one, and it never throws.
import type { JsonValue } from '@portico/contracts';

/** Levels of arrays and objects that are kept; far more than a message may have, far fewer than the stack bears. */
const maxDepth = 500;

/** What stands for whatever nests deeper than that, or without end. */
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
  if (depth >= maxDepth) return tooDeep;
  if (Array.isArray(value)) return Array.from(value, (item) => toSealable(item, depth + 1));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [toWellFormed(name), toSealable(member, depth + 1)]));
}

/** Whole pairs are one character to these patterns. */
const halfPair = /[\uD800-\uDFFF]/u;
const halfPairs = /[\uD800-\uDFFF]/gu;

/** As `String.prototype.toWellFormed`, which ES2023 does not know. */
function toWellFormed(text: string): string {
  return halfPair.test(text) ? text.replaceAll(halfPairs, '\uFFFD') : text;
}
