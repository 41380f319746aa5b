// Values that have broken services before: strange text, numbers beyond every limit, names that are not names.
import fc from 'fast-check';

/** Marks JSON that no value here can be, such as infinite numbers; put in once the rest is text. */
const raw = (json: string) => `\u0001raw:${json}\u0001`;

export function toJsonText(value: unknown): string {
  return JSON.stringify(value).replace(/"\\u0001raw:([^\\"]*)\\u0001"/g, '$1');
}

export const oddTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00x',
  'a\u202eb',
  '\ufeff',
  '\u2028\u2029',
  '\r\nX-Injected: 1',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '.',
  '..',
  '../../etc/passwd',
  'one.',
  '.echo',
  'one..echo',
  '*',
  '$[?(@',
  '${a.b}',
  '$a.content[0].text',
  '-1',
  'NaN',
  'null',
  '1e999',
  '😀'.repeat(50),
  'é',
  '<script>alert(1)</script>',
  "'; DROP TABLE records; --",
  '%00%ff%',
  'file:///etc/passwd',
  'http://127.0.0.1:9/',
  'x'.repeat(1024),
  'x'.repeat(1025),
  'x'.repeat(70_000),
] as const;

export const oddText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);

const oddNumbers = ['1e400', '-1e400', '123456789012345678901234567890', '0.1e-400', '-0', '9007199254740993', '1.5'];

const deep = (levels: number, isList: boolean): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = isList ? [value] : { a: value };
  return value;
};

export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  { weight: 2, arbitrary: fc.constantFrom(...oddNumbers).map(raw) },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, 0, -1, 1, 101, 1e21, 2 ** 31, -(2 ** 53)) },
  { weight: 2, arbitrary: fc.constantFrom([], {}, [[]], [null], { length: 1 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(JSON.parse('{"__proto__": {"polluted": true}}'), { constructor: { prototype: {} } }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(60, 200, 254, 300), fc.boolean())
      .map(([levels, isList]) => deep(levels, isList)),
  },
  { weight: 1, arbitrary: fc.constant(raw('['.repeat(50_000) + ']'.repeat(50_000))) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      Array.from({ length: 2000 }, (_, n) => n),
      Array(60).fill({}),
    ),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Characters that a header may contain (RFC 9110, section 5.5, with obs-text). */
export const headerText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '*',
    'W/"x"',
    '"',
    ',',
    ';;',
    '\xe9\xff',
    'x'.repeat(1025),
    'x'.repeat(9000),
    '0',
    '-1',
    'null',
  ),
  fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,40}$/),
);
