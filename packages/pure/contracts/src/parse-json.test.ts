// Keys are read right on every engine. The meaning of a text is known from how it was written, not from JSON.parse.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './parse-json.js';
import { readJson } from './read-json.js';

/** A JSON text, and the value that it was written for. */
interface Written {
  readonly text: string;
  readonly value: unknown;
}

const units = ['a', 'b', '\\', '"', '\n', '\u0001', 'u', '0', '1', '/', 'é', 'Ā', '\ud83d', '\ude00', ' '];
const names = fc.oneof(
  fc.string({ unit: fc.constantFrom(...units), maxLength: 3 }),
  fc.constantFrom('h', '\\', '"', '\n', 'a\\', 'a\n', 'a"', '__proto__', 'constructor', '10', '01'),
);
const space = fc.constantFrom('', '', ' ', '\n\t', '\r');

/** Each unit of a string as it is where JSON allows it, or in one of its escaped forms. */
const written = (value: string, forms: readonly number[]): string =>
  `"${value
    .split('')
    .map((unit, at) => {
      const form = forms[at % forms.length];
      if (form === 0) return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
      if (form === 1 && unit === '/') return '\\/';
      return /["\\\p{Cc}]/u.test(unit) ? JSON.stringify(unit).slice(1, -1) : unit;
    })
    .join('')}"`;

const string = fc
  .tuple(names, fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 }))
  .map(([value, forms]) => ({ text: written(value, forms), value }));

const scalar = fc.oneof(
  string,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({
    text: Object.is(value, -0) ? '-0' : String(value),
    value,
  })),
  fc.constantFrom<Written>(
    { text: 'true', value: true },
    { text: 'false', value: false },
    { text: 'null', value: null },
    { text: '-0.0E+2', value: -0 },
    { text: '12E2', value: 1200 },
    { text: '1e400', value: Number.POSITIVE_INFINITY },
  ),
);

const { json } = fc.letrec<{ json: Written }>((tie) => {
  const member = fc.tuple(space, string, space, tie('json')).map(([before, name, after, { text, value }]) => ({
    text: `${before}${name.text}${after}:${before}${text}${after}`,
    entry: [name.value, value] as const,
  }));
  const object = fc.array(member, { maxLength: 5 }).map((members) => ({
    text: `{${members.map(({ text }) => text).join(',') || ' '}}`,
    value: Object.fromEntries(members.map(({ entry }) => entry)),
  }));
  const list = fc.tuple(space, fc.array(tie('json'), { maxLength: 5 })).map(([between, items]) => ({
    text: `[${between}${items.map(({ text }) => text).join(`${between},${between}`)}${between}]`,
    value: items.map(({ value }) => value),
  }));
  return { json: fc.oneof({ maxDepth: 5 }, scalar, object, list) };
});

describe.each([
  ['parseJson', parseJson],
  ['readJson, which does not use the engine for objects,', readJson],
])('%s', (_, parse) => {
  it('gives the value that a text was written for, with its keys in order', () => {
    fc.assert(
      fc.property(space, json, ({ length }, { text, value }) => {
        const read = parse(`${' '.repeat(length)}${text}${'\n'.repeat(length)}`);
        expect(read).toEqual(value);
        expect(JSON.stringify(read)).toBe(JSON.stringify(value)); // order, __proto__, halves of surrogate pairs
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['quote', '"', '\\'],
    ['line break', '\n', '\\'],
    ['control character', '\u0001', '\\'],
    ['key that ends with a line break', 'a\n', 'a\\'],
    ['key of needless escapes', 'AB', '\\u'],
    ['key with an escape in its middle', 'a\u0001bc', 'a\\u0'],
  ])('reads a %s after an object that had a backslash in its place', (before, meant, seen) => {
    const textOf = (key: string, form: number) => `{${JSON.stringify(before)}:0,${written(key, [form])}:1}`;
    const form = meant === 'AB' ? 0 : 2;
    parse(textOf(seen, 2));
    expect(parse(textOf(meant, form))).toEqual({ [before]: 0, [meant]: 1 });
    expect(parse(`[${textOf(seen, 2)},${textOf(seen, 2)},${textOf(meant, form)}]`)).toEqual([
      { [before]: 0, [seen]: 1 },
      { [before]: 0, [seen]: 1 },
      { [before]: 0, [meant]: 1 },
    ]);
  });

  it('lets the last of equal keys win in the place of the first, however each is written', () => {
    const read = parse('{"ab":1,"\\\\":2,"a\\u0062":{"c":3},"10":4,"\\u0031":5,"ab":[6]}');
    expect(JSON.stringify(read)).toBe('{"1":5,"10":4,"ab":[6],"\\\\":2}');
  });

  it('makes __proto__ and other inherited names own members', () => {
    const read = parse('{"\\\\":0,"\\u005f_proto__":{"a":1},"toString":2,"__proto__":3}') as object; // an object, as written
    expect(Object.getOwnPropertyDescriptors(read)).toMatchObject({
      ['__proto__']: { value: 3, writable: true, enumerable: true, configurable: true },
      toString: { value: 2 },
    });
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it('reads numbers of any length as JSON.parse does', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(digits, digits, fc.integer({ min: -330, max: 310 }), (whole, part, power) => {
        const text = `-${BigInt(whole)}.${part}e${power}`;
        const [number] = parse(`[${text},{"\\\\":0}]`) as readonly unknown[];
        expect(number).toBe(JSON.parse(text));
      }),
    );
  });

  it('reads what nests far deeper than the stack is', () => {
    const depth = 100_000;
    let value = parse(`${'{"\\\\":['.repeat(depth)}${']}'.repeat(depth)}`) as Readonly<Record<string, unknown>>;
    for (let i = 1; i < depth; i++) {
      const [inner] = value['\\'] as readonly (typeof value)[];
      value = inner ?? {};
    }
    expect(value).toEqual({ '\\': [] });
  });

  it('reads millions of escapes, in one string and in many', () => {
    const long = '\\'.repeat(1_000_000);
    const read = parse(JSON.stringify({ [long]: long, list: Array(200_000).fill('\\"') })) as Record<string, unknown>;
    expect(read[long] === long).toBe(true);
    expect(read.list).toHaveLength(200_000);
  });
});

describe('parseJson', () => {
  it.each([
    '',
    ' ',
    '{',
    '{"a\\":1}',
    '[1,]',
    '["\\x"]',
    '{"\\\\":1}}',
    '{"\\\\":1,}',
    '{"\\\\" 1}',
    "{'a':1}",
    '[01]',
  ])('refuses %j with the error of JSON.parse', (text) => {
    let expected: unknown;
    try {
      JSON.parse(text);
    } catch (error) {
      expected = error;
    }
    expect(expected).toBeInstanceOf(SyntaxError);
    expect(() => parseJson(text)).toThrow(expected as SyntaxError); // as just seen
  });
});
