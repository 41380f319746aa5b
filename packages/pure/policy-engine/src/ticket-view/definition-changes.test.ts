// The difference of two definitions: found at every path, shown where it is, and never two texts that look the same.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { definitionChanges } from './definition-changes.js';

const changesOf = (before: JsonValue | undefined, after: JsonValue | undefined) =>
  definitionChanges(before, after).changes.map(({ what, before, after }) => [what, before, after]);

describe('definitionChanges', () => {
  it.each<[string, JsonObject, JsonObject, readonly (readonly (string | null)[])[]]>([
    ['nothing', { a: 1, b: [2] }, { b: [2], a: 1 }, []],
    [
      'what is new and what is gone',
      { a: 1 },
      { b: 'x' },
      [
        ['a', '1', null],
        ['b', null, '"x"'],
      ],
    ],
    ['a value within', { s: { p: [{ t: 'a' }] } }, { s: { p: [{ t: 'b' }] } }, [['s.p[0].t', '"a"', '"b"']]],
    ['a number that becomes a text', { a: 1 }, { a: '1' }, [['a', '1', '"1"']]],
    ['null that becomes nothing', { a: null }, {}, [['a', 'null', null]]],
    ['a key that looks like a path', { a: { b: 1 }, 'a.b': 1 }, { a: { b: 1 }, 'a.b': 2 }, [['["a.b"]', '1', '2']]],
    ['hidden characters alone', { d: 'pay' }, { d: 'pay\u200b' }, [['d', '"pay"', '"pay\\u{200b}"']]],
    ['a name that hides', { 'x\u202e': 1 }, {}, [['["x\\u{202e}"]', '1', null]]],
    ['an object with quotes in it', {}, { a: { 'k"': '\u202e"' } }, [['a', null, '{"k\\\\"":"\\u{202e}\\\\""}']]],
  ])('finds %s', (_what, before, after, changes) => {
    expect(changesOf(before, after)).toEqual(changes);
  });

  it('finds what is added as __proto__', () => {
    const after = JSON.parse('{"__proto__": {"x": 1}}');
    expect(changesOf({}, after)).toEqual([['__proto__', null, '{"x":1}']]);
    expect(changesOf(after, {})).toEqual([['__proto__', '{"x":1}', null]]);
  });

  it('shows where long texts differ that begin and end alike', () => {
    const text = (word: string) => `${'a'.repeat(5000)}${word}${'z'.repeat(5000)}`;
    const { changes, complete } = definitionChanges({ d: text('read') }, { d: text('take') });
    const [change] = changes;
    expect(change?.before).toBe(
      `…"${'a'.repeat(40)}read${'z'.repeat(40)}"… (characters 4,961 to 5,044 of 10,004; the rest is the same)`,
    );
    expect(change?.after).toContain(`${'a'.repeat(40)}take${'z'.repeat(40)}`);
    expect(complete).toBe(true);
  });

  it('is not complete where a difference is longer than what is shown', () => {
    const { changes, complete } = definitionChanges({ d: 'a' }, { d: 'b'.repeat(3000) });
    expect(changes[0]?.after).toMatch(/^"b{2000}"… \(characters 1 to 2,000 of 3,000; the rest finds no room\)$/);
    expect(complete).toBe(false);
    expect(definitionChanges({ ['k'.repeat(300)]: 1 }, {}).complete).toBe(false);
  });

  it('counts the changes that follow the first hundred', () => {
    const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`k${n}`, n]));
    const { changes, complete } = definitionChanges({}, many);
    expect([changes.length, changes.at(-1)?.what, complete]).toEqual([101, '150 more changes', false]);
  });

  it('shows both sides of every difference, and never the same on both', () => {
    const json = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    fc.assert(
      fc.property(json, json, (one, other) => {
        const [before, after] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
        const { changes } = definitionChanges(before, after);
        for (const change of changes) expect(change.before).not.toBe(change.after);
        expect(definitionChanges(before, before).changes).toEqual([]);
        if (!isDeepStrictEqual(before, after)) expect(changes.length).toBeGreaterThan(0);
      }),
    );
  });

  it('shows long texts that differ anywhere as texts that differ', () => {
    const long = fc.string({ minLength: 1990, maxLength: 4100 });
    fc.assert(
      fc.property(long, fc.nat(4000), fc.string({ maxLength: 30 }), (text, at, word) => {
        const other = text.slice(0, at) + word + text.slice(at);
        fc.pre(other !== text);
        const [change] = definitionChanges({ d: text }, { d: other }).changes;
        expect(change?.before).not.toBe(change?.after);
      }),
      { numRuns: 50 },
    );
  });
});
