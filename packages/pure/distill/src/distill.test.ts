import type { JsonObject, JsonValue } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Distilled, distill, takeModifiers } from './index.js';

function distilled(data: JsonValue, args: JsonObject): Distilled {
  const taken = takeModifiers(args);
  if (!taken.ok) throw new Error(taken.issue.message);
  return distill(data, taken.modifiers);
}

const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

describe('distill', () => {
  it('does nothing without modifiers', () => {
    const data = textResult('a\nb');
    expect(distilled(data, {})).toEqual({ ok: true, data });
  });

  it('selects first, then limits lines, then bytes', () => {
    const data = { structuredContent: { log: `${'x'.repeat(100)}\n${'y'.repeat(100)}\nz`, other: 'o'.repeat(900) } };
    const args = { _truncate_bytes: 60, _limit_lines: 2, _jsonpath: '$.structuredContent.log' };
    expect(distilled(data, args)).toEqual({ ok: true, data: `${'x'.repeat(38)}[… 182 more bytes]` });
  });

  it('limits the lines of every string and keeps keys and other values', () => {
    const data = { ...textResult('a\nb\nc'), structuredContent: { 'k\nk': ['1\n2', 3, null, true] } };
    expect(distilled(data, { _limit_lines: 1 })).toEqual({
      ok: true,
      data: {
        ...textResult('a\n[… 2 more lines]'),
        structuredContent: { 'k\nk': ['1\n[… 1 more lines]', 3, null, true] },
      },
    });
  });

  it.each<[string, JsonValue, string, JsonValue]>([
    ['the value of a singular query', { structuredContent: { a: [1, 2] } }, '$.structuredContent.a[-1]', 2],
    ['null for a singular query without match', { a: 1 }, "$['b']", null],
    ['an array for every other query', { a: [1] }, '$.a[*]', [1]],
    ['an empty array when nothing matches', { a: [] }, '$..x', []],
    ['JSON in the only text as structured content', textResult('{"a":{"b":1}}'), '$.structuredContent.a.b', 1],
    ['the text itself still', textResult('[1]'), '$.content[0].text', '[1]'],
    ['no structured content for a text that is no JSON', textResult('hello'), '$.structuredContent', null],
    [
      'structured content as it is where there is one',
      { ...textResult('{"a":1}'), structuredContent: { a: 2 } },
      '$.structuredContent.a',
      2,
    ],
    [
      'no structured content for two texts',
      { content: [...textResult('1').content, ...textResult('2').content] },
      '$.structuredContent',
      null,
    ],
    [
      'no structured content for another block',
      { content: [{ type: 'resource', text: '1' }] },
      '$.structuredContent',
      null,
    ],
    ['the document', [1], '$', [1]],
  ])('gives %s', (_, data, query, expected) => {
    expect(distilled(data, { _jsonpath: query })).toEqual({ ok: true, data: expected });
  });

  it.each(['$..[*]..[*]..[*]', '$..[?count($..*) > 1]', '$..[?@ == $.chain]', "$..[?search($.text, '(a|b)*c(a|b)*')]"])(
    'ends %s instead of hanging',
    (query) => {
      const chain: JsonValue = JSON.parse(`${'['.repeat(10_000)}${']'.repeat(10_000)}`);
      expect(distilled({ chain, text: 'ab'.repeat(200_000) }, { _jsonpath: query })).toEqual({
        ok: false,
        issue: {
          path: 'args._jsonpath',
          message: 'takes too many steps on this result (more than 2000000, a fixed limit); use a narrower query',
        },
      });
    },
  );

  it('refuses to multiply a large value', () => {
    const query = `$[${Array.from({ length: 500 }, () => "'a'").join()}]`;
    expect(distilled({ a: 'x'.repeat(100_000) }, { _jsonpath: query })).toEqual({
      ok: false,
      issue: {
        path: 'args._jsonpath',
        message: 'selects more than 32 MiB in all (a fixed limit); use a narrower query',
      },
    });
  });

  it('selects from a result of any depth, and refuses to rewrite what no JSON writer could write', () => {
    const deep = JSON.parse(`{"a": 1, "deep": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    expect(distilled(deep, { _jsonpath: '$..a' })).toEqual({ ok: true, data: [1] });
    expect(distilled(deep, { _limit_lines: 1 })).toMatchObject({ ok: false, issue: { path: 'args._limit_lines' } });
    expect(distilled(deep, { _truncate_bytes: 1 })).toMatchObject({
      ok: false,
      issue: { path: 'args._truncate_bytes' },
    });
  });

  it('never changes its input', () => {
    fc.assert(
      fc.property(
        fc.jsonValue() as fc.Arbitrary<JsonValue>,
        fc.constantFrom('$', '$..*', '$.content[0]', '$[?@ == 1]'),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 100 }),
        (data, query, lines, bytes) => {
          const frozen = deepFreeze(data);
          const before = JSON.stringify(frozen);
          const result = distilled(frozen, { _jsonpath: query, _limit_lines: lines, _truncate_bytes: bytes });
          expect(result.ok && JSON.stringify(result.data).length).toBeLessThanOrEqual(bytes);
          expect(JSON.stringify(frozen)).toBe(before);
        },
      ),
    );
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) deepFreeze(item);
  return Object.freeze(value);
}
