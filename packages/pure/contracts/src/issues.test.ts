// Problems as people read them: the path of the field, what was expected, and never a value that may be a secret.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { describeIssues, joinPath, parseWith } from './issues.js';
import { jsonObjectSchema } from './json.js';

describe('joinPath', () => {
  it.each([
    [[], ''],
    [['a', 'b-c', '$d', '_e'], 'a.b-c.$d._e'],
    [['args', 0, 'x', 12], 'args[0].x[12]'],
    [['a.b', '', '0', 'é', '"'], '["a.b"][""]["0"]["é"]["\\""]'],
  ])('writes %j as %s', (keys, path) => {
    expect(joinPath(keys)).toBe(path);
  });
});

describe('parseWith', () => {
  const schema = v.object({
    name: v.pipe(v.string(), v.minLength(1), v.maxLength(3)),
    mode: v.optional(v.picklist(['read', 'write'])),
    counts: v.optional(v.array(v.pipe(v.number(), v.maxValue(9)))),
    args: v.optional(jsonObjectSchema),
  });

  it('gives the value when nothing is wrong, with nested objects as they are', () => {
    const args = JSON.parse('{"constructor": 1, "__proto__": 2}');
    const parsed = parseWith(schema, { name: 'a', args });
    expect(parsed.ok && parsed.value.args).toBe(args);
  });

  it.each([
    [null, ': expected Object, got null'],
    [{}, 'name: is required'],
    [{ name: null }, 'name: expected string, got null'],
    [{ name: ['x'] }, 'name: expected string, got array'],
    [{ name: '' }, 'name: expected a length of >=1, got 0'],
    [{ name: 'secret' }, 'name: expected a length of <=3, got 6'],
    [{ name: 'a', mode: 'delete' }, 'mode: expected ("read" | "write"), got "delete"'],
    [{ name: 'a', counts: [1, 10] }, 'counts[1]: expected <=9, got 10'],
    [{ name: 'a', counts: ['s3cr3t'] }, 'counts[0]: expected number, got string'],
    [{ name: 'a', args: [] }, 'args: expected an object'],
  ])('says of %j: %s', (value, text) => {
    const parsed = parseWith(schema, value);
    expect(parsed.ok ? [] : parsed.issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([text]);
  });

  it('reports every problem', () => {
    const parsed = parseWith(schema, { counts: 'x' });
    expect(parsed.ok || describeIssues(parsed.issues)).toBe('name: is required; counts: expected Array, got string');
  });
});
