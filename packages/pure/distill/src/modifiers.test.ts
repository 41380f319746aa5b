import { describe, expect, it } from 'vitest';
import { takeModifiers } from './modifiers.js';

describe('takeModifiers', () => {
  it('gives arguments without modifiers back as they are', () => {
    const args = { path: 'x' };
    expect(takeModifiers(args)).toEqual({ ok: true, modifiers: {}, args });
  });

  it('takes all three out and leaves the rest, odd names included', () => {
    const args = JSON.parse('{"_jsonpath": "$.a", "__proto__": 1, "_limit_lines": 2, "_truncate_bytes": 3, "a": 4}');
    const taken = takeModifiers(args);
    expect(taken).toMatchObject({ ok: true, modifiers: { query: { isSingular: true }, maxLines: 2, maxBytes: 3 } });
    expect(taken.ok && JSON.stringify(taken.args)).toBe('{"__proto__":1,"a":4}');
    expect(Object.keys(args)).toHaveLength(5);
  });

  it.each([
    [0, 'must be a positive integer'],
    [-1, 'must be a positive integer'],
    [1.5, 'must be a positive integer'],
    ['5', 'must be a positive integer'],
    [null, 'must be a positive integer'],
    [2 ** 53, 'must be a positive integer'],
  ])('refuses %j as a number', (value, message) => {
    expect(takeModifiers({ _limit_lines: value })).toEqual({
      ok: false,
      issue: { path: 'args._limit_lines', message },
    });
    expect(takeModifiers({ _truncate_bytes: value })).toEqual({
      ok: false,
      issue: { path: 'args._truncate_bytes', message },
    });
  });

  it.each([
    [1, 'must be a JSONPath query in a string'],
    ['', /^is not a valid JSONPath query \(RFC 9535\): /],
    ['a.b', /^is not a valid/],
    [`$${'.a'.repeat(3000)}`, 'is not a valid JSONPath query (RFC 9535): longer than 4096 characters (a fixed limit)'],
  ])('refuses %j as a query', (value, message) => {
    expect(takeModifiers({ _jsonpath: value })).toEqual({
      ok: false,
      issue: {
        path: 'args._jsonpath',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      },
    });
  });
});

it('leaves an argument that the tool declares to the tool', () => {
  const properties = { _limit_lines: { type: 'string' } };
  expect(takeModifiers({ _limit_lines: 'all', _truncate_bytes: 9 }, properties)).toEqual({
    ok: true,
    modifiers: { maxBytes: 9 },
    args: { _limit_lines: 'all' },
  });
  const args = { _limit_lines: 5 };
  expect(takeModifiers(args, properties)).toEqual({ ok: true, modifiers: {}, args });
});
