import { describe, expect, it } from 'vitest';
import { canonicalNumber, exactNumbers, keepExact, parseExact, writeExact } from './index.js';

describe('parseExact and writeExact', () => {
  it.each([
    '{"a":1098765432109876543}',
    '{"a":1.0,"b":-0,"c":-0.0,"d":1e400,"e":[[1E2],{"f":0.0000001}]}',
    '[12345678.123456789012,-1.50]',
    '{"__proto__":{"a":1.0}}',
  ])('%s stays as it is', (text) => {
    expect(writeExact(parseExact(text))).toBe(text);
  });

  it('a value whose numbers are all plain has no texts', () => {
    expect(exactNumbers in parseExact('{"a":1,"b":"x: 1.0"}')).toBe(false);
  });

  it('a text is not used for another value', () => {
    const value = parseExact('{"a":1.0,"b":2.0}');
    expect(writeExact(keepExact(value, { a: 3, b: 2 }))).toBe('{"a":3,"b":2.0}');
  });
});

describe('canonicalNumber', () => {
  it.each([
    ['1.0', '1'],
    ['-0.0', '0'],
    ['1E2', '100'],
    ['0.10e-6', '1e-7'],
    ['1e400', '1e+400'],
    ['10.0e399', '1e+400'],
    ['1098765432109876543', '1098765432109876543'],
    ['109876543210987654.3e1', '1098765432109876543'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993.0', '9007199254740993'],
  ])('of %s is %s', (text, canonical) => {
    expect(canonicalNumber(text)).toBe(canonical);
    expect(canonicalNumber(canonical)).toBe(canonical);
  });
});
