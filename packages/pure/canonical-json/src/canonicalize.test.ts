// Golden texts from RFC 8785 and properties that any canonical form must have.
import { parseJson } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize, digestOf, isCanonical, sha256Hex } from './index.js';

describe('canonicalize', () => {
  it('writes the example of RFC 8785, 3.2.2', () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalize(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts names by UTF-16 code units, as in RFC 8785, 3.2.3', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1F600}': 5, '\u0080': 6, '\u00f6': 7 };
    expect(canonicalize(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1F600}":5,"\ufb33":3}');
  });

  it('gives one text for one value with its keys in any order, and the text parses back', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false })), (value) => {
        fc.pre(isWellFormed(value));
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalize(reversed)).toBe(canonicalize(value));
        expect(parseJson(canonicalize(value))).toEqual(parseJson(JSON.stringify(value)));
      }),
    );
  });

  it('writes -0 as 0 and leaves undefined members out', () => {
    expect(canonicalize({ a: -0, b: undefined })).toBe('{"a":0}');
  });

  it.each([[new Array(1)], [Number.NaN], [Number.POSITIVE_INFINITY], [() => 1], ['\ud800'], [{ '\udc00': 1 }], [10n]])(
    'refuses %s',
    (value) => {
      expect(() => canonicalize(value)).toThrow(TypeError);
    },
  );

  it('names what it refuses', () => {
    expect(() => canonicalize(undefined)).toThrow('undefined has no canonical form');
    expect(() => canonicalize(Number.NaN)).toThrow('a number such as NaN has no canonical form');
  });

  it('refuses nesting without end instead of overflowing the stack', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => canonicalize(cycle)).toThrow(/nested deeper/);
  });
});

describe('isCanonical', () => {
  const isOwnForm = (text: string) => isCanonical(text, parseJson(text));

  it.each([
    ['{"a":1,"b":[{"c":"\\u0000é😀"},1e+21,0.002]}', true],
    ['{"10":1,"9":2}', true],
    ['{"9":2,"10":1}', false],
    ['{"b":1,"a":2}', false],
    ['[{"b":1,"a":2}]', false],
    ['{"a":1,"a":1}', false],
    ['{"a": 1}', false],
    ['{"a":1.0}', false],
    ['{"a":-0}', false],
    ['"\\u00e9"', false],
    ['"\\/"', false],
    ['"\\\\ud800"', true],
    ['"\\ud800"', false],
    ['{"\\udc00":1}', false],
    [`${'['.repeat(900)}${']'.repeat(900)}`, true],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, false],
  ])('of %s is %s', (text, expected) => {
    expect(isOwnForm(text)).toBe(expected);
  });

  it('says what canonicalize says', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (json, isOwn) => {
        const value: unknown = parseJson(json);
        fc.pre(isWellFormed(value));
        const text = isOwn ? canonicalize(value) : json;
        expect(isOwnForm(text)).toBe(text === canonicalize(value));
      }),
    );
  });
});

describe('digestOf', () => {
  it('is SHA-256 of the canonical text in lower-case hex', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(digestOf({ b: 1, a: 2 })).toBe(sha256Hex('{"a":2,"b":1}'));
  });
});

function isWellFormed(value: unknown): boolean {
  return !/\\u[dD][89a-fA-F]/.test(JSON.stringify(value));
}
