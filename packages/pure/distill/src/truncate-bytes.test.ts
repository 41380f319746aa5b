import { type JsonValue, parseJson } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { truncateBytes } from './truncate-bytes.js';

const bytesOf = (value: JsonValue) => new TextEncoder().encode(JSON.stringify(value)).length;
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc
    .array(fc.constantFrom('😀', '🧑‍💻', 'é', '"', '\\', '\n', '\u0001', 'a'), { maxLength: 80 })
    .map((parts) => parts.join('')),
);
const anyValue = fc.jsonValue({ stringUnit: 'grapheme' }) as fc.Arbitrary<JsonValue>;
const anyResult: fc.Arbitrary<JsonValue> = fc.oneof(
  anyValue,
  text,
  fc.record({ content: fc.array(fc.record({ type: fc.constant('text'), text })), structuredContent: anyValue }),
);

describe('truncateBytes', () => {
  it('leaves alone what fits', () => {
    const value = { text: 'é"\n😀' };
    expect(truncateBytes(value, bytesOf(value))).toBe(value);
  });

  it('cuts the longest strings first, to a common length, and says how many bytes were removed', () => {
    const value = { short: 'left alone', long: 'a'.repeat(1000), longer: 'é'.repeat(1000) };
    expect(truncateBytes(value, 200)).toEqual({
      short: 'left alone',
      long: `${'a'.repeat(57)}[… 943 more bytes]`,
      longer: `${'é'.repeat(28)}[… 1944 more bytes]`,
    });
  });

  it('cuts between characters, never inside a pair', () => {
    const value = '😀'.repeat(20);
    expect([41, 44, 45, 48].map((budget) => truncateBytes(value, budget))).toEqual([
      '😀😀😀😀😀[… 60 more bytes]',
      '😀😀😀😀😀[… 60 more bytes]',
      '😀😀😀😀😀😀[… 56 more bytes]',
      '😀😀😀😀😀😀[… 56 more bytes]',
    ]);
  });

  it('counts what JSON escapes', () => {
    const value = '\u0001'.repeat(20);
    expect(truncateBytes(value, 40)).toBe('\u0001\u0001\u0001[… 17 more bytes]');
  });

  it('becomes a preview of the JSON when cutting strings is not enough', () => {
    const value = Array.from({ length: 100 }, (_, at) => at);
    expect(truncateBytes(value, 40)).toBe('[0,1,2,3,4,5,6,7,8[… 273 more bytes]');
  });

  it.each([
    [1, 0],
    [2, ''],
    [4, ''],
    [5, '…'],
    [6, '[…'],
    [8, '[12…'],
    [21, '[123456,123456,1…'],
    [22, '[… 281 more bytes]'],
  ])('with %i bytes is %j', (budget, shortest) => {
    expect(truncateBytes(new Array(40).fill(123456), budget)).toBe(shortest);
  });

  it('gives valid, well-formed JSON of at most N bytes for every value and every N from 1, and changes no input', () => {
    fc.assert(
      fc.property(anyResult, fc.integer({ min: 1, max: 600 }), (value, budget) => {
        const before = JSON.stringify(value);
        const result = truncateBytes(value, budget);
        expect(bytesOf(result)).toBeLessThanOrEqual(budget);
        expect(JSON.stringify(parseJson(JSON.stringify(result)))).toBe(JSON.stringify(result));
        expect(JSON.stringify(result).isWellFormed()).toBe(true);
        expect(isWellFormedThroughout(result)).toBe(true);
        expect(JSON.stringify(value)).toBe(before);
        if (bytesOf(value) <= budget) expect(result).toBe(value);
      }),
      { numRuns: 500 },
    );
  });

  it('fits every budget for one emoji-laden result', () => {
    const value = {
      content: [{ type: 'text', text: '👩‍👩‍👧‍👦 "é"\n\u0007'.repeat(12) }],
      structuredContent: { '🔑': '🎉'.repeat(30) },
    };
    for (let budget = 1; budget <= bytesOf(value) + 1; budget += 1) {
      const result = truncateBytes(value, budget);
      expect(bytesOf(result)).toBeLessThanOrEqual(budget);
      expect(isWellFormedThroughout(result)).toBe(true);
    }
  });

  it('keeps lone surrogates countable', () => {
    const value = '\ud800'.repeat(50);
    for (let budget = 1; budget <= 320; budget += 1)
      expect(bytesOf(truncateBytes(value, budget))).toBeLessThanOrEqual(budget);
  });

  it('does not take keys such as __proto__ for anything else', () => {
    const value: JsonValue = JSON.parse(`{"__proto__": "${'a'.repeat(100)}", "constructor": "b"}`);
    expect(JSON.stringify(truncateBytes(value, 80))).toBe(
      `{"__proto__":"${'a'.repeat(26)}[… 74 more bytes]","constructor":"b"}`,
    );
  });
});

function isWellFormedThroughout(value: JsonValue): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((item) => isWellFormedThroughout(item as JsonValue));
}
