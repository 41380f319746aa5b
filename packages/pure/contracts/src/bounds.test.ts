// How deep a text nests, and how many values are in it, is known before it is parsed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excessOf, nestsDeeperThan } from './bounds.js';
import { hasMoreNames } from './names-in-json.js';
import { parseJson } from './parse-json.js';
import { isUriTooLong, uriLength } from './uri-bounds.js';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1);
}

function namesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

function withPrefix(prefix: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withPrefix(prefix, each));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [prefix + name, withPrefix(prefix, each)]));
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

describe('excessOf', () => {
  const bounds = { levels: 10, values: 20 };

  it.each([
    ['numbers', JSON.stringify(Array(19).fill(1)), undefined],
    ['one number more', JSON.stringify(Array(20).fill(1)), 'made of more than 20 values (a fixed limit)'],
    ['empty lists', JSON.stringify(Array(19).fill([])), undefined],
    ['members', JSON.stringify({ list: Array(6).fill({ a: 1, b: {} }) }), undefined],
    [
      'one member more',
      JSON.stringify({ list: Array(6).fill({ a: 1, b: {} }), last: 1 }),
      'made of more than 20 values (a fixed limit)',
    ],
    ['a text of commas and brackets', JSON.stringify([',[{'.repeat(50)]), undefined],
    ['brackets', '['.repeat(11) + ']'.repeat(11), 'nested deeper than 10 levels (a fixed limit)'],
  ])('of %s counts what is outside of strings', (_, text, expected) => {
    expect(excessOf(text, bounds)).toBe(expected);
  });

  it('agrees with the parsed value on any JSON', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: units }), fc.integer({ min: 1, max: 10 }), (json, values) => {
        const value: unknown = parseJson(json);
        const text = JSON.stringify(value); // without spaces, which may stand in empty lists
        expect(excessOf(text, { levels: depthOf(value), values }) !== undefined).toBe(valuesIn(value) > values);
      }),
    );
  });
});

describe('excessOf of names and of what is outside of strings', () => {
  const tooManyNames = 'made of more than 20 different names of members (limits.messageNames)';
  const bounds = { levels: 10, values: 5000, names: 20, namesSetting: 'limits.messageNames' };
  const named = (count: number, from = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${from + at}`, 1]));
  const rowsOf = (count: number, row: (at: number) => object) => Array.from({ length: count }, (_, at) => row(at));

  it.each<[string, unknown, string | undefined]>([
    ['one object', named(20), undefined],
    ['one object with one more', named(21), tooManyNames],
    ['many small objects', rowsOf(7, (at) => named(3, 3 * at)), tooManyNames],
    ['rows that are alike', rowsOf(200, () => named(20)), undefined],
    ['rows with their names in another order', rowsOf(8, (at) => ({ [`k${at}`]: 1, a: 1, b: 1 })), tooManyNames],
    [
      'large objects that are alike',
      rowsOf(2, () => named(519)),
      'made of more than 520 different names of members (limits.messageNames)',
    ],
    ['names as long as a text', { [`${'x'.repeat(300)}`]: rowsOf(20, () => ({ ['x'.repeat(300)]: 1 })) }, tooManyNames],
    ['texts that look like names', rowsOf(30, (at) => ({ a: `"k${at}":` })), undefined],
  ])('counts new names: %s', (_, value, expected) => {
    const names = Number(/\d+/.exec(expected ?? '20')?.[0]);
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)])
      expect(excessOf(text, { ...bounds, names })).toBe(expected);
  });

  it('never counts more names than a text has members, and at least as many as there are different ones', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: units }), (json) => {
        const parsed = JSON.parse(json);
        const all = namesIn(parsed);
        expect(hasMoreNames(JSON.stringify(parsed), all.length, 20)).toBe(false);
        // Two names in a million are taken for one: then their texts behind a prefix are not.
        const countsEach = (prefix: string) =>
          hasMoreNames(JSON.stringify(withPrefix(prefix, parsed)), new Set(all).size - 1, 20);
        expect(all.length === 0 || ['', 'a', 'b'].some(countsEach)).toBe(true);
      }),
    );
  });

  it.each([
    ['a number', `[${'9'.repeat(60)}]`, true],
    ['white space', `[1${' '.repeat(60)}]`, true],
    ['both', `[${'9'.repeat(20)}${' '.repeat(40)},"${'x'.repeat(60)}"]`, true],
    ['long strings beside it', `["${'x'.repeat(60)}",${'9'.repeat(20)}]`, false],
  ])('counts characters outside of strings: %s', (_, text, isExcess) => {
    const message = 'made of more than 50 characters outside of strings (a fixed limit)';
    expect(excessOf(text, { levels: 10, values: 20, bareCharacters: 50 })).toBe(isExcess ? message : undefined);
  });

  it.each([
    ['of one letter', '\n'.repeat(5000)],
    ['of quotes', '"a'.repeat(5000)],
    ['of backslashes', '\\'.repeat(5000)],
    ['of code units', '\u0001abc'.repeat(5000)],
    ['far apart', `${'x'.repeat(100)}\n`.repeat(5000)],
    ['before a long text with a quote', `${'\\n'.repeat(5000)}${'x'.repeat(5000)}"${'x'.repeat(5000)}`],
    ['behind a long text', `${'x'.repeat(5000)}${'\n'.repeat(5000)}`],
  ])('counts escapes %s', (_, value) => {
    const text = JSON.stringify(['plain'.repeat(20), value, 'plain', value, '']);
    const escapes = (text.match(/\\./g) ?? []).length;
    const within = { levels: 10, values: 20, escapes };
    expect(excessOf(text, within)).toBeUndefined();
    expect(excessOf(text, { ...within, escapes: escapes - 1 })).toBe(
      `made of more than ${escapes - 1} escapes in strings (a fixed limit)`,
    );
  });
});

describe('uriLength', () => {
  it.each([
    ['file:///a', 9],
    ['file:///\u00e9', 14],
    ['file:///\ufb00', 17],
    ['file:///\u{1f600}', 20],
  ])('counts %j as it is when percent-encoded', (uri, length) => {
    expect(uriLength(uri)).toBe(length);
    expect(encodeURI(uri)).toHaveLength(length);
  });

  it('is too long from one character beyond the bound on', () => {
    expect([4096, 4097].map((length) => isUriTooLong('a'.repeat(length), 4096))).toEqual([false, true]);
    expect(isUriTooLong('\ufb00'.repeat(456), 4096)).toBe(true);
  });
});
