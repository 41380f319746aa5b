// How deep a text nests is known before it is parsed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nestsDeeperThan } from './nesting.js';
import { parseJson } from './parse-json.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Long strings of what an end of one could be mistaken for, and any others. */
const units = fc.oneof(fc.constantFrom('"', '\\', '[', '}', ' '.repeat(40)), fc.string({ maxLength: 1 }));

describe('nestsDeeperThan', () => {
  it.each([
    ['[[[1]]]', 3, false],
    ['[[[1]]]', 2, true],
    ['{"a":{"b":[]}}', 2, true],
    ['"[[[["', 1, false],
    ['["\\"[[[", 1]', 1, false],
    ['["\\\\", [1]]', 1, true],
    ['[1],[1],[1]', 1, false],
  ])('of %s beyond %i is %s', (text, limit, expected) => {
    expect(nestsDeeperThan(text, limit)).toBe(expected);
  });

  it.each([
    ['of nothing but words', 'word '.repeat(100)],
    ['that ends with backslashes', `${'x'.repeat(100)}\\\\\\`],
    ['full of quotes and brackets', '"[{'.repeat(100)],
    ['with few quotes', `${'x'.repeat(100)}"[`.repeat(5)],
  ])('passes over a long string %s', (_, long) => {
    const text = JSON.stringify([long, [1]]);
    expect([nestsDeeperThan(text, 1), nestsDeeperThan(text, 2)]).toEqual([true, false]);
  });

  it('agrees with the parsed value on any JSON', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: units }), fc.integer({ min: 0, max: 5 }), (text, limit) => {
        expect(nestsDeeperThan(text, limit)).toBe(depthOf(parseJson(text)) > limit);
      }),
    );
  });
});
