// Patterns against a reference made of regular expressions, and in bounded time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePatterns } from './patterns.js';

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const reference = (pattern: string) => new RegExp(`^${pattern.split('*').map(literal).join('[^]*')}$`);

describe('compilePatterns', () => {
  it.each([
    ['*', '', true],
    ['a*', 'a.b/c\nd', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['A', 'a', false],
    ['a.c', 'abc', false],
    ['a', 'ab', false],
    ['*b*', 'abc', true],
    ['**', 'x', true],
    ['', '', true],
    ['', 'x', false],
    ['__proto__', 'constructor', false],
  ])('says of %j and %j that they match: %s', (pattern, name, expected) => {
    expect(compilePatterns([pattern]).match(name)).toBe(expected ? pattern : undefined);
  });

  it('gives the first of the list that matches, exact or not', () => {
    expect(compilePatterns(['b', 'a*', 'ab']).match('ab')).toBe('a*');
    expect(compilePatterns(['b', 'ab', 'a*']).match('ab')).toBe('ab');
    expect(compilePatterns([]).isEmpty).toBe(true);
  });

  it('agrees with a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.', '\n'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), text, (patterns, name) => {
        expect(compilePatterns(patterns).match(name)).toBe(patterns.find((pattern) => reference(pattern).test(name)));
      }),
      { numRuns: 2000 },
    );
  });

  it('ends soon where backtracking would never end', () => {
    expect(compilePatterns([`${'*a'.repeat(5000)}b`]).match('a'.repeat(20_000))).toBeUndefined();
  });
});
