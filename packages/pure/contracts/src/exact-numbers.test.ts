import { describe, expect, it } from 'vitest';
import {
  canonicalNumber,
  exactJson,
  exactJsonLines,
  exactNumbers,
  gatherExact,
  keepExact,
  parseExact,
  writeExact,
  writeExactLines,
} from './index.js';

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

  it.each([
    ['{"a":9007199254740993,"a":9007199254740992}', '{"a":9007199254740992}'],
    ['{"a":1.0,"a":1}', '{"a":1}'],
    ['{"a":1,"a":1.0}', '{"a":1.0}'],
  ])('a key that is there twice has its last number: %s', (text, written) => {
    expect(writeExact(parseExact(text))).toBe(written);
  });

  it('a text is not used for another value', () => {
    const value = parseExact('{"a":1.0,"b":2.0}');
    expect(writeExact(keepExact(value, { a: 3, b: 2 }))).toBe('{"a":3,"b":2.0}');
  });
});

describe('writeExactLines', () => {
  it.each(['{}', '[]', '7', 'null', '{"a":[],"b":{},"c":[1,[2,{"d":"\\n"}]],"":null}'])(
    '%s is laid out as JSON.stringify does it',
    (text) => {
      const value: unknown = JSON.parse(text);
      expect(writeExactLines(value)).toBe(JSON.stringify(value, null, 2));
      expect(exactJsonLines(value)).toBe(JSON.stringify(value, null, 2));
    },
  );

  it('leaves out members that are undefined', () => {
    expect(writeExactLines({ a: undefined, b: [undefined] })).toBe('{\n  "b": [\n    null\n  ]\n}');
  });

  it('has numbers as the server wrote them', () => {
    const value = parseExact('{"a":1098765432109876543,"b":[1e400,{"c":-0.0}]}');
    const lines = '{\n  "a": 1098765432109876543,\n  "b": [\n    1e400,\n    {\n      "c": -0.0\n    }\n  ]\n}';
    expect(writeExactLines(value)).toBe(lines);
    expect(exactJsonLines(value)).toBe(lines);
    expect(writeExactLines({ value })).toContain('"a": 1098765432109876543');
  });
});

describe('gatherExact', () => {
  it('gives a container the texts of its numbers, and says of the members that they keep theirs', () => {
    const from = parseExact('{"a":1.0,"b":{"c":-0.0}}') as { readonly b: object };
    const made = gatherExact({ x: 2, b: from.b }, new Map([['x', '2.00']]));
    expect(exactJson(made)).toBe('{"x":2.00,"b":{"c":-0.0}}');
    expect(exactJson({ b: from.b })).toBe('{"b":{"c":0}}');
    expect(exactJson(gatherExact({ b: from.b }))).toBe('{"b":{"c":-0.0}}');
  });

  it('leaves a container as it is where nothing has a text', () => {
    expect(exactNumbers in gatherExact({ a: [1] })).toBe(false);
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
