// Comparison of values as RFC 9535 defines it (section 2.3.5.2.2). Nothing, the absence of a value, is undefined here.
// Never recurses, and pays for every value it looks at.
import { isJsonObject, type JsonValue } from '@portico/contracts';
import type { Budget } from './budget.js';
import type { Operator } from './query.js';

export type Comparable = JsonValue | undefined;

/** Characters of a text that are compared for one step. */
const charactersPerStep = 64;

export function isTrue(left: Comparable, operator: Operator, right: Comparable, budget: Budget): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right, budget);
    case '!=':
      return !isEqual(left, right, budget);
    case '<':
      return isLess(left, right, budget);
    case '>':
      return isLess(right, left, budget);
    case '<=':
      return isLess(left, right, budget) || isEqual(left, right, budget);
    case '>=':
      return isLess(right, left, budget) || isEqual(left, right, budget);
  }
}

function isEqual(left: Comparable, right: Comparable, budget: Budget): boolean {
  const pending: [Comparable, Comparable][] = [[left, right]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [a, b] = pair;
    budget.spend(costOf(a, b));
    if (a === b) continue;
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) return false;
      budget.spend(a.length);
      for (let at = 0; at < a.length; at += 1) pending.push([a[at], b[at]]);
    } else if (isJsonObject(a) && isJsonObject(b)) {
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length) return false;
      budget.spend(keys.length);
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false;
        pending.push([a[key], b[key]]);
      }
    } else {
      return false;
    }
  }
  return true;
}

function isLess(left: Comparable, right: Comparable, budget: Budget): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left !== 'string' || typeof right !== 'string') return false;
  budget.spend(costOf(left, right));
  return isBeforeByCodePoint(left, right);
}

function costOf(left: Comparable, right: Comparable): number {
  if (typeof left !== 'string' || typeof right !== 'string') return 1;
  return 1 + Math.min(left.length, right.length) / charactersPerStep;
}

/** JavaScript orders by UTF-16 unit, which puts U+10000 and up before U+E000. */
function isBeforeByCodePoint(left: string, right: string): boolean {
  const shorter = Math.min(left.length, right.length);
  let at = 0;
  while (at < shorter && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  if (at === shorter) return left.length < right.length;
  return rankOf(left.charCodeAt(at)) < rankOf(right.charCodeAt(at));
}

/** Surrogates above all other units. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
