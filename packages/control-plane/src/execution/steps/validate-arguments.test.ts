// Arguments against schemas that strangers wrote: every dialect, and nothing that hangs, throws or crashes.
import { defaultLimits, describeIssues, type JsonObject } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { noStages } from '../../common/stage.js';
import { createArgumentValidator } from './validate-arguments.js';

function validatorOf(
  onSkipped: (reason: string, capability: string) => void,
  maxSteps = defaultLimits.validationSteps,
) {
  return createArgumentValidator({ onSkipped, maxSteps: () => maxSteps, stages: noStages });
}

function validate(schema: JsonObject, ...calls: readonly JsonObject[]) {
  const skipped: string[] = [];
  const check = validatorOf((reason) => skipped.push(reason)).checkFor(schema, 's.tool');
  const problems = calls.map((args) => {
    const issue = check(args, 's.tool');
    return issue && describeIssues([issue]);
  });
  return { problems, skipped };
}

const problemOf = (schema: JsonObject, args: JsonObject) => validate(schema, args).problems[0];

describe('dialects', () => {
  const tuple = { type: 'object', properties: { a: { prefixItems: [{ type: 'string' }] } } };

  it.each([
    ['nothing', undefined],
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema'],
    ['2020-12 with a hash', 'https://json-schema.org/draft/2020-12/schema#'],
  ])('of a schema that names %s is 2020-12', (_what, $schema) => {
    const schema = $schema === undefined ? tuple : { $schema, ...tuple };
    expect(validate(schema, { a: [1] })).toEqual({ problems: ['args.a[0]: must be string'], skipped: [] });
  });

  it.each([
    'http://json-schema.org/draft-07/schema#',
    'http://json-schema.org/draft-07/schema',
    'http://json-schema.org/draft-06/schema#',
    'https://json-schema.org/draft/2019-09/schema',
  ])('of %s is that one, where a list of items is a tuple', ($schema) => {
    const schema = { $schema, type: 'object', properties: { a: { items: [{ type: 'string' }] } } };
    expect(validate(schema, { a: [1] })).toEqual({ problems: ['args.a[0]: must be string'], skipped: [] });
  });

  it.each(['http://json-schema.org/draft-04/schema#', 'https://example.com/my-schema', 7])(
    'of %j is not known: everything passes, and the reason is logged once',
    ($schema) => {
      expect(validate({ $schema, type: 'object', required: ['a'] }, {}, {})).toEqual({
        problems: [undefined, undefined],
        skipped: [`input schema is not checked: unknown dialect ${JSON.stringify($schema)}`],
      });
    },
  );
});

describe('messages', () => {
  const schema = {
    type: 'object',
    properties: {
      mode: { enum: ['r', 'w'] },
      'a/b': { type: 'object', properties: { '~x': { type: 'number' } }, additionalProperties: false },
      list: { type: 'array', items: { type: 'object', required: ['id'] } },
      size: { minimum: 1 },
    },
    additionalProperties: false,
  };

  it.each([
    [{ mode: 'x' }, 'args.mode: must be one of ["r","w"]'],
    [{ nope: 1 }, 'args.nope: is not an argument of this tool'],
    [{ 'a/b': { '~x': 'y' } }, 'args["a/b"]["~x"]: must be number'],
    [{ 'a/b': { y: 1 } }, 'args["a/b"].y: is not an argument of this tool'],
    [{ list: [{ id: 1 }, {}] }, 'args.list[1].id: is required'],
    [{ size: 0 }, 'args.size: must be >= 1'],
  ])('of %j name the path: %s', (args, problem) => {
    expect(problemOf(schema, args)).toBe(problem);
  });

  it('never show the value, which may be a secret', () => {
    const secret = 's3cr3t';
    const strict = { type: 'object', properties: { a: { type: 'number' }, b: { pattern: '^x' }, c: { const: 1 } } };
    for (const args of [{ a: secret }, { b: secret }, { c: secret }]) {
      const problem = problemOf(strict, args);
      expect(problem).toMatch(/^args\./);
      expect(problem).not.toContain(secret);
    }
  });
});

describe('null', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'boolean' }, c: { enum: [1] } },
    required: ['a'],
    additionalProperties: false,
  };

  it.each<[string, JsonObject, string | undefined]>([
    ['stands for an argument that is left out', { a: 'x', b: null, c: null }, undefined],
    ['is no value of one that is required', { a: null }, 'args.a: must be string'],
    ['does not hide what is wrong elsewhere', { a: 'x', b: null, c: 2 }, 'args.b: must be boolean'],
    ['is no argument that the schema does not name', { a: 'x', d: null }, 'args.d: is not an argument of this tool'],
  ])('%s', (_what, args, problem) => {
    expect(problemOf(schema, args)).toBe(problem);
  });
});

describe('names that JavaScript objects have of their own', () => {
  const schema = {
    type: 'object',
    properties: { constructor: { type: 'string' }, toString: { type: 'number' } },
    required: ['constructor'],
  };

  it('are arguments like others', () => {
    expect(validate(schema, {}, { constructor: 1 }, { constructor: 'x' }).problems).toEqual([
      'args.constructor: is required',
      'args.constructor: must be string',
      undefined,
    ]);
  });

  it('pass through a schema that does not name them, and are refused by one that is closed', () => {
    const args = JSON.parse('{"__proto__": {"a": 1}, "hasOwnProperty": 1}');
    expect(problemOf({ type: 'object' }, args)).toBeUndefined();
    expect(problemOf({ type: 'object', additionalProperties: false }, args)).toMatch(
      /is not an argument of this tool$/,
    );
  });
});

/** A short schema whose check visits 2^levels subschemas. */
function doubling(levels: number): JsonObject {
  const definitions: Record<string, JsonObject> = { d0: { type: 'object' } };
  for (let i = 1; i <= levels; i++) {
    const reference = { $ref: `#/$defs/d${i - 1}` };
    definitions[`d${i}`] = { allOf: [reference, reference] };
  }
  return { $ref: `#/$defs/d${levels}`, $defs: definitions };
}

describe('uniqueItems', () => {
  const unique: JsonObject = { properties: { list: { type: 'array', uniqueItems: true } } };

  it('compares whole values, for any order of their keys', () => {
    const message = 'args.list: must not have the same item twice';
    expect(
      problemOf(unique, {
        list: [
          { a: 1, b: [2] },
          { b: [2], a: 1 },
        ],
      }),
    ).toBe(message);
    expect(problemOf(unique, { list: [1, '1', [1], { a: 1 }, null] })).toBeUndefined();
    expect(problemOf(unique, { list: ['\ud800', '\ud800'] })).toBe(message);
  });

  it('takes one pass over a long list', () => {
    expect(problemOf(unique, { list: Array.from({ length: 50_000 }, (_, i) => ({ i })) })).toBeUndefined();
  });
});

describe('schemas that cannot be checked', () => {
  it.each<[string, JsonObject]>([
    ['are no schema', { type: 'nonsense' }],
    ['refer to somewhere else', { $ref: 'https://example.com/schema.json' }],
    ['refer to nothing', { $ref: '#/$defs/none' }],
    [
      'are larger than anyone writes',
      { properties: Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [i, {}])) },
    ],
    ['double at every level', doubling(40)],
    ['refer to themselves without end', { $ref: '#' }],
    ['refer to themselves without end, behind a keyword', { allOf: [{ $ref: '#' }] }],
    [
      'refer to each other without end',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    ],
    ['refer to themselves without end, further down', { properties: { a: { $ref: '#/properties/a' } } }],
  ])('let everything pass where they %s, and say so once', (_what, schema) => {
    const { problems, skipped } = validate(schema, { a: 1 }, { a: 2 });
    expect(problems).toEqual([undefined, undefined]);
    expect(skipped).toEqual([expect.stringMatching(/^input schema is not checked: /)]);
  });

  it('are not made asynchronous by $async, which would reject later and unseen', () => {
    expect(problemOf({ $async: true, type: 'object', required: ['a'] }, {})).toBe('args.a: is required');
  });

  it('take no time for a dialect that was written to take it', () => {
    const $schema = `${'#'.repeat(400_000)}x`;
    expect(validate({ $schema, type: 'object' }, {}).skipped).toHaveLength(1);
  });

  it('are compiled once for one schema object', () => {
    const skipped: string[] = [];
    const validator = validatorOf((reason) => skipped.push(reason));
    const schema = { type: 'nonsense' };
    expect(validator.checkFor(schema, 's.tool')).toBe(validator.checkFor(schema, 's.tool'));
    expect(skipped).toHaveLength(1);
  });
});

describe('patterns', () => {
  it('that would take long on a long text let it pass, and say so', () => {
    const schema: JsonObject = { properties: { a: { pattern: '(a?){500}[ab]{500}[x-z]' } } };
    const { problems, skipped } = validate(schema, { a: 'a'.repeat(1_000_000) });
    expect(problems).toEqual([undefined]);
    expect(skipped).toEqual([
      expect.stringMatching(/is not checked: it costs too much on this text \(a fixed limit\)$/),
    ]);
  });

  const withPattern = (pattern: string) => ({ type: 'object', properties: { a: { type: 'string', pattern } } });

  it('are checked', () => {
    expect(problemOf(withPattern('^[a-z]+$'), { a: 'ABC' })).toBe('args.a: must match pattern "^[a-z]+$"');
    expect(problemOf(withPattern('^[a-z]+$'), { a: 'abc' })).toBeUndefined();
  });

  it('are each their own, also where one schema has several', () => {
    const schema = { type: 'object', properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect(validate(schema, { a: 'a', b: 'b' }, { a: 'b' }, { b: 'a' }).problems).toEqual([
      undefined,
      'args.a: must match pattern "^a$"',
      'args.b: must match pattern "^b$"',
    ]);
  });

  it('of names are checked too', () => {
    const schema = { type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false };
    expect(validate(schema, { 'x-a': 'b' }, { 'x-a': 1 }, { y: 1 }).problems).toEqual([
      undefined,
      'args.x-a: must be string',
      'args.y: is not an argument of this tool',
    ]);
  });

  it('run in linear time where backtracking would never end', () => {
    expect(problemOf(withPattern('^(a+)+$'), { a: `${'a'.repeat(50_000)}!` })).toMatch(/must match pattern/);
  });

  it('that need backtracking are not checked, which is logged, while the rest of the schema is', () => {
    const schema = { ...withPattern('^(?=x)y'), required: ['b'] };
    expect(validate(schema, { a: 'z' }, { a: 'z', b: 1 })).toEqual({
      problems: ['args.b: is required', undefined],
      skipped: ['pattern "^(?=x)y" is not checked: it does not run in linear time'],
    });
  });
});

describe('a number', () => {
  const price: JsonObject = { type: 'object', properties: { price: { type: 'number', multipleOf: 0.01 } } };

  it('is a multiple in decimals, as people count', () => {
    expect(validate(price, { price: 19.99 }, { price: 0.07 }).problems).toEqual([undefined, undefined]);
    expect(problemOf(price, { price: 19.995 })).toBe('args.price: must be multiple of 0.01');
  });
});

describe('a pattern', () => {
  it.each([
    ['^\\S+$', 'a\u00a0b', false],
    ['^a\\sb$', 'a\u00a0b', true],
    ['^[^\\s]+$', 'a\u3000b', false],
    ['^\\u00e9$', 'é', true],
  ])('%s has the classes of ECMA-262: %j', (pattern, text, isRight) => {
    const { problems, skipped } = validate({ properties: { a: { type: 'string', pattern } } }, { a: text });
    expect([problems[0] === undefined, skipped]).toEqual([isRight, []]);
  });
});

it('the log line of an argument that is not checked names its server and tool', () => {
  const logged: string[][] = [];
  const schema: JsonObject = { properties: { a: { type: 'string', pattern: '(?=a)' } } };
  validatorOf((...line) => logged.push(line)).checkFor(schema, 's.tool')({ a: 'x' }, 's.tool');
  expect(logged).toEqual([['pattern "(?=a)" is not checked: it does not run in linear time', 's.tool']]);
});
