// How deep a text nests is known before it is parsed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nestsDeeperThan } from './nesting.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

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

  it('agrees with the parsed value on any JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 5 }), (text, limit) => {
        expect(nestsDeeperThan(text, limit)).toBe(depthOf(JSON.parse(text)) > limit);
      }),
    );
  });
});
