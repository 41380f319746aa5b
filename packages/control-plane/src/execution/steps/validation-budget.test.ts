// The cost limit of a check: counted, deterministic, and reset for the next call.
import { describeIssues, type JsonObject } from '@portico/contracts';
import { describe, expect, it, vi } from 'vitest';
import { noStages } from '../../common/stage.js';
import { mayRepeat } from './count-steps.js';
import { createArgumentValidator } from './validate-arguments.js';

const maxSteps = 1000;
const stages = { enter: vi.fn(), leave: vi.fn() };
const overBudget =
  'args: cannot be checked against the input schema of this tool in 1000 steps (limits.validationSteps); send fewer or less deeply nested values, or raise the limit';

function check(schema: JsonObject, args: JsonObject, limit = maxSteps) {
  const skipped: string[] = [];
  const deps = { onSkipped: (reason: string) => skipped.push(reason), maxSteps: () => limit, stages };
  const issue = createArgumentValidator(deps).checkFor(schema, 's.tool')(args, 's.tool');
  return { problem: issue && describeIssues([issue]), skipped };
}

const inA = { properties: { a: { $ref: '#/$defs/n' } } };
const doubling: JsonObject = { $ref: '#/$defs/n', $defs: { n: { allOf: [inA, inA] } } };
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) });

describe('a check', () => {
  it('that takes more steps than it may is refused by the limit and the setting', () => {
    expect(check(doubling, nested(60))).toEqual({ problem: overBudget, skipped: [] });
  });

  it('of the same schema has its whole budget again in the next call', () => {
    const run = createArgumentValidator({ onSkipped: () => {}, maxSteps: () => maxSteps, stages }).checkFor(
      doubling,
      's.tool',
    );
    const problems = [60, 3, 60, 3].map((depth) => run(nested(depth), 's.tool')?.path);
    expect(problems).toEqual(['args', undefined, 'args', undefined]);
  });

  it('follows a limit that is changed after the schema was compiled', () => {
    let limit = 100;
    const run = createArgumentValidator({ onSkipped: () => {}, maxSteps: () => limit, stages }).checkFor(
      doubling,
      's.tool',
    );
    expect(run(nested(8), 's.tool')?.path).toBe('args');
    limit = 100_000;
    expect(run(nested(8), 's.tool')).toBeUndefined();
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['items', { properties: { l: { items: {}, not: { items: { type: 'string' } } } } }, { l: Array(2000).fill(1) }],
    [
      'items that do not contain',
      { properties: { l: { not: { contains: { const: 1 } } } } },
      { l: Array(2000).fill(2) },
    ],
    [
      'names',
      { anyOf: [{ propertyNames: { minLength: 1 } }] },
      Object.fromEntries(
        Array(2000)
          .fill(0)
          .map((_, at) => [at, 1]),
      ),
    ],
    ['characters', { anyOf: [{ properties: { t: { maxLength: 1e9 } } }] }, { t: 'x'.repeat(40_000) }],
    [
      'characters of patterns',
      { properties: { l: { items: { pattern: '^(a?b?){20}$' } } } },
      { l: Array(50).fill('abab') },
    ],
    [
      'texts that have to be unique',
      { properties: { l: { uniqueItems: true } } },
      {
        l: Array(300)
          .fill(0)
          .map((_, at) => at),
      },
    ],
    [
      'names of a large object',
      { additionalProperties: { type: 'number' } },
      Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`p${at}`, at])),
    ],
    [
      'branches that fail',
      { properties: { l: { items: { anyOf: [{ const: 1 }, { const: 2 }, { const: 3 }] } } } },
      { l: Array(100).fill(3) },
    ],
    [
      'values of an enumeration',
      {
        properties: {
          a: {
            enum: Array(10_000)
              .fill(0)
              .map((_, at) => at),
          },
        },
      },
      { a: 9999 },
    ],
  ])('pays for %s', (_what, schema, args) => {
    expect(check(schema, args).problem).toBe(overBudget);
    expect(check(schema, args, 1_000_000).problem).toBeUndefined();
  });

  it('names its tool to the watchdog while it runs, for any result', () => {
    stages.enter.mockClear();
    stages.leave.mockClear();
    check(doubling, nested(60));
    expect(stages.enter.mock.calls).toEqual([
      ['compiling the input schema', 's.tool'],
      ['checking arguments', 's.tool'],
    ]);
    expect(stages.leave).toHaveBeenCalledTimes(2);
  });

  it('costs nothing more where the schema passes the arguments once', () => {
    const flat = {
      type: 'object',
      properties: { a: { type: 'string', maxLength: 5 }, b: { type: 'object', properties: { c: {} } } },
      required: ['a'],
      additionalProperties: false,
    };
    expect(mayRepeat(flat)).toBe(false);
    const deps = { onSkipped: () => {}, maxSteps: () => expect.unreachable(), stages: noStages };
    expect(createArgumentValidator(deps).checkFor(flat, 's.tool')({ a: 'x' }, 's.tool')).toBeUndefined();
  });
});

describe('patterns of one schema', () => {
  it('are compiled up to a size together; the others are not checked, and the log says which', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`p${at}`, { type: 'string', pattern: `^[\\p{L}${at}]{900}$` }]),
    );
    const { skipped } = check({ properties }, {});
    expect(skipped.length).toBeGreaterThan(0);
    expect(skipped.every((reason) => reason.endsWith('too large together (a fixed limit)'))).toBe(true);
  });

  it('that are longer than 4000 characters are not checked', () => {
    const { skipped } = check({ properties: { a: { pattern: 'a'.repeat(4001) } } }, { a: 'b' });
    expect(skipped).toEqual([
      expect.stringMatching(/is not checked: it is longer than 4000 characters \(a fixed limit\)$/),
    ]);
  });
});
