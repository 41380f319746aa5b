// The arguments of a ticket: every key is named or counted, and a view that calls itself complete leaves out nothing.
import { argumentLines, type JsonObject, type JsonValue, parseJson } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultRedactKeys } from '../redact-keys.js';
import { createRedactor } from '../redaction.js';
import { type ShowLimits, showArguments, wideLimits } from './show-arguments.js';

const redactor = createRedactor(defaultRedactKeys);
const show = (args: JsonObject, limits: Partial<ShowLimits> = {}) =>
  showArguments(args, redactor, { ...wideLimits, ...limits });
const linesOf = (args: JsonObject, limits: Partial<ShowLimits> = {}) => argumentLines(show(args, limits));

/** Keys and list entries at all depths; those of a redacted value count as one. */
function countEntries(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Array.isArray(value) ? value.map((item) => ['', item] as const) : Object.entries(value);
  const isSecret = (key: string) => defaultRedactKeys.includes(key);
  return inside.reduce((sum, [key, item]) => sum + 1 + (isSecret(key) ? 0 : countEntries(item)), 0);
}

const nested = (depth: number, inside: JsonValue): JsonObject => {
  let value: JsonValue = inside;
  for (let n = 0; n < depth; n++) value = { k: value };
  return { a: value };
};

const keys = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('__proto__', 'cookie', 'token', 'to'),
);
const values = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, null, '[REDACTED]'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
  ),
})).value;
const objects = fc.dictionary(keys, values, { maxKeys: 6 }) as fc.Arbitrary<JsonObject>;

describe('showArguments', () => {
  it('names or counts every key and entry, in lines that hold no line end and nothing that hides', () => {
    fc.assert(
      fc.property(
        objects,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 10, max: 300 }),
        (args, entries, length) => {
          const view = show(args, { entries, totalLength: length, valueLength: 10 });
          expect(view.entries.length + view.omitted).toBe(countEntries(args));
          expect(view.entries.length).toBeLessThanOrEqual(entries);
          const characters = view.entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
          expect(characters).toBeLessThanOrEqual(length);
          for (const line of argumentLines(view)) expect(line).not.toMatch(/(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
          if (view.complete) expect(view.omitted).toBe(0);
        },
      ),
    );
  });

  it('is complete only where every text is there whole', () => {
    fc.assert(
      fc.property(objects, (args) => {
        const isLong = (value: JsonValue | undefined): boolean =>
          typeof value === 'string'
            ? value.length > 12
            : typeof value === 'object' &&
              value !== null &&
              Object.entries(value).some(([key, item]) => !defaultRedactKeys.includes(key) && isLong(item));
        expect(show(args, { valueLength: 12 }).complete).toBe(!isLong(args));
      }),
    );
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['nothing', {}, ['(no arguments)']],
    [
      'a key that is __proto__',
      parseJson('{"__proto__": {"to": "x"}}') as JsonObject,
      ['__proto__: object of 1 key', '  to: "x"'],
    ],
    [
      'keys that look alike',
      { to: 1, 't\u043e': 2, 'to\u200b': 3, 'to ': 4 },
      ['to: 1', '"to ": 4', '"to\\u{200b}": 3', '"t\u043e": 2'],
    ],
    [
      'a key that spells the escape of another',
      { 'a\u200b': 1, 'a\\u{200b}': 2 },
      ['"a\\\\u{200b}": 2', '"a\\u{200b}": 1'],
    ],
    ['the key of a list entry', { '[0]': 1, list: [2] }, ['"[0]": 1', 'list: list of 1 entry', '  [0]: 2']],
    ['a value that imitates redaction', { a: '[REDACTED]', cookie: 'x' }, ['a: "[REDACTED]"', 'cookie: [REDACTED]']],
    ['a value that imitates a line', { a: 'x"\n  to: "bob' }, ['a: "x\\"\\n  to: \\"bob"']],
    ['a number as text', { a: '1', b: 1 }, ['a: "1"', 'b: 1']],
    // The call runs with JSON as parsed and written again.
    [
      'numbers',
      parseJson('{"a": 1e400, "b": -0, "c": 123456789012345678901234567890, "d": 1e-400}') as JsonObject,
      ['a: null', 'b: 0', 'c: 1.2345678901234568e+29', 'd: 0'],
    ],
  ])('shows %s', (_what, args, lines) => {
    expect(linesOf(args)).toEqual(lines);
  });

  it('shows the number that an upstream gets, for any digits sent', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?[1-9]\d{0,400}(\.\d{1,30})?(e[+-]?\d{1,3})?$/), (digits) => {
        const args = parseJson(`{"n": ${digits}}`) as JsonObject;
        expect(linesOf(args)).toEqual([`n: ${JSON.stringify(args.n)}`]);
      }),
    );
  });

  it('cuts a key of 100 KB, says how long it is, and is not complete', () => {
    const view = show({ ['k'.repeat(100_000)]: 1 });
    expect(view.entries[0]?.key).toBe(`"${'k'.repeat(1000)}"… (100,000 characters)`);
    expect(view.complete).toBe(false);
  });

  it('shows a thousand of 10,000 keys, and counts the others', () => {
    const view = show(Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, n])));
    expect([view.entries.length, view.omitted, view.complete]).toEqual([1000, 9000, false]);
    expect(argumentLines(view).at(-1)).toBe('(9000 more keys and entries are not shown)');
  });

  it('shows nothing of what found no room under the name of another', () => {
    const args = { a: { n: 1 }, [`b${'b'.repeat(90)}`]: { to: 'attacker' }, c: 2 };
    const view = show(args, { totalLength: 80 });
    expect(argumentLines(view)).toEqual([
      'a: object of 1 key',
      '  n: 1',
      'c: 2',
      '(2 more keys and entries are not shown)',
    ]);
    expect(view.complete).toBe(false);
  });

  it('is not complete where depth alone takes a value out of sight', () => {
    const [seen, unseen] = [show(nested(255, 'x')), show(nested(257, 'attacker'))];
    expect([seen.complete, seen.entries.at(-1)?.value]).toEqual([true, '"x"']);
    expect([unseen.complete, unseen.entries.at(-1)?.value]).toEqual([false, '[REDACTED]']);
    expect(show({ cookie: nested(300, 'x') }).complete).toBe(true); // by its name, at the top
  });

  it('indents sixteen levels, and names those beyond', () => {
    const lines = linesOf(nested(40, 'x'));
    expect(lines[16]).toBe(`${' '.repeat(32)}k: object of 1 key`);
    expect(lines[40]).toBe(`${' '.repeat(32)}(level 40) k: "x"`);
  });

  it('redacts inside a text of JSON, says so, and is not complete where a second key of a name hides there', () => {
    expect(show({ body: '{"cookie":"x","to":1}' })).toMatchObject({
      entries: [{ value: '"{\\"cookie\\":\\"[REDACTED]\\",\\"to\\":1}" (redacted in part; 21 characters as sent)' }],
      complete: true,
    });
    expect(show({ body: '{"to":"attacker","to":"bob"}' }).complete).toBe(false);
  });
});
