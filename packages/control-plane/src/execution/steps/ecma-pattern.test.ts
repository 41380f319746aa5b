// Patterns of schemas mean in RE2 what they mean in ECMA-262.
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { toRe2 } from './ecma-pattern.js';

const patterns = [
  '\\s',
  '\\S',
  '^\\S+$',
  '^[\\s]+$',
  '[^\\s]',
  '[\\S]',
  '[^\\S]',
  '^[\\w\\s.-]*$',
  '[\\s\\d]',
  '^.$',
  '^[.]$',
  '[\\b]',
  '\\bx',
  '[^]',
  '[]',
  'a[[:alpha:]',
  '[[]',
  '[\\[\\]]',
  '\\u00e9',
  '[\\u00e0-\\u00ff]',
  '\\u{1F600}',
  '\\ud83d\\ude00',
  '\\cA',
  '\\0',
  '\\x41',
  '\\t\\n\\v\\f\\r',
  '\\d\\D\\w\\W',
  '\\.\\/-',
  '\\\\s',
  '\\p{L}',
  '\\P{L}',
  '^[\\p{Letter}\\p{Nd}]+$',
  '\\p{Script=Greek}',
  '\\p{gc=Lu}',
  '(?<year>\\d{4})',
  '(?:a|b){2,}?',
];

const characters =
  '\t\n\v\f\r \u0000\u0001\b!AaxZ0.:[]\\\u00a0\u00e9\u1680\u180e\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeffαΩ😀';
const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 6 });

describe('a pattern in the words of RE2', () => {
  it.each(patterns)('%s matches what it matches in ECMA-262', (pattern) => {
    const ours = RE2JS.compile(toRe2(pattern));
    const theirs = new RegExp(pattern, 'u');
    for (const character of characters) {
      expect([character, ours.test(character)]).toEqual([character, theirs.test(character)]);
    }
    fc.assert(
      fc.property(text, (given) => {
        expect(ours.test(given)).toBe(theirs.test(given));
      }),
    );
  });

  it.each(['(?=a)', '(a)\\1'])('%s does not compile: RE2 cannot say it', (pattern) => {
    expect(() => RE2JS.compile(toRe2(pattern))).toThrow();
  });
});
