// Schemas that are proved to be narrower, by cases and by samples: Ajv decides which values a schema accepts.
import type { JsonValue } from '@portico/contracts';
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { assert, constantFrom, integer, jsonValue, letrec, oneof, option, property, record, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNarrower, maxSteps } from './is-narrower.js';

const object = (properties: JsonValue, rest: object = {}) => ({ type: 'object', properties, ...rest }) as JsonValue;

describe('isNarrower', () => {
  it.each<[string, JsonValue, JsonValue]>([
    ['other words', { type: 'string', title: 'a' }, { title: 'b', type: 'string', examples: ['x'] }],
    ['an integer for a number', { type: 'number' }, { type: 'integer' }],
    ['fewer types', { type: ['string', 'null'] }, { type: 'string' }],
    ['fewer values', { enum: ['a', 'b'] }, { const: 'b' }],
    ['a higher least', { minimum: 1 }, { minimum: 2 }],
    ['a pattern that was not there', { type: 'string' }, { type: 'string', pattern: '^a' }],
    ['a property that has to be there', object({ a: {} }), object({ a: {} }, { required: ['a'] })],
    [
      'a property less, where others are refused',
      object({ a: {} }, { additionalProperties: false }),
      object({}, { additionalProperties: false }),
    ],
    [
      'others are refused',
      object({ id: { type: 'string' } }),
      object({ id: { type: 'string' } }, { additionalProperties: false }),
    ],
    [
      'one of two members with names of every object',
      object({ constructor: {}, toString: {} }),
      object({ toString: {} }, { additionalProperties: false }),
    ],
    ['a narrower item', { type: 'array', items: { type: 'number' } }, { type: 'array', items: { type: 'integer' } }],
    ['nothing', { type: 'string' }, false],
  ])('takes %s for narrower', (_name, before, after) => {
    expect(isNarrower(before, after)).toBe(true);
  });

  it.each<[string, JsonValue, JsonValue]>([
    ['a new optional property', object({}), object({ bcc: { type: 'string' } })],
    ['a keyword with a name that every object has', { type: 'string' }, { type: 'string', constructor: 1 }],
    ['another type', { type: 'integer' }, { type: 'number' }],
    ['one value more', { enum: ['a'] }, { enum: ['a', 'b'] }],
    ['another pattern', { pattern: '^a$' }, { pattern: '^a' }],
    ['no type', { type: 'string' }, {}],
    [
      'a reference',
      { $ref: '#/$defs/a', $defs: { a: { type: 'number' } } },
      { $ref: '#/$defs/a', $defs: { a: { type: 'integer' } } },
    ],
    ['other alternatives', { oneOf: [{ type: 'number' }] }, { oneOf: [{ type: 'integer' }] }],
    ['another negation', { not: { type: 'integer' } }, { not: { type: 'number' } }],
    ['a null that Ajv lets through', { type: 'string' }, { type: 'string', nullable: true }],
    ['a property less, where others are taken', object({ a: { type: 'string' } }), object({})],
    ['a limit that is none of a number', { maximum: 3 }, { maximum: 2, exclusiveMaximum: true }],
    [
      'what a later part evaluates',
      { unevaluatedProperties: false },
      { unevaluatedProperties: false, allOf: [object({ a: {} })] },
    ],
  ])('takes %s for wider', (_name, before, after) => {
    expect(isNarrower(before, after)).toBe(false);
  });
});

describe('the cost of a comparison', () => {
  const deep = (levels: number, leaf: JsonValue, wrap: (inner: JsonValue) => JsonValue): JsonValue =>
    levels === 0 ? leaf : wrap(deep(levels - 1, leaf, wrap));
  it.each<[string, (inner: JsonValue) => JsonValue]>([
    ['properties', (inner) => object({ a: inner }, { patternProperties: {}, additionalProperties: false })],
    ['additionalProperties', (inner) => object({}, { patternProperties: {}, additionalProperties: inner })],
    ['items', (inner) => ({ type: 'array', items: inner, additionalItems: {} })],
  ])('grows with the depth of %s and not with a power of it', (_name, wrap) => {
    const budget = { left: maxSteps };
    expect(isNarrower(deep(40, { type: 'number' }, wrap), deep(40, { type: 'integer' }, wrap), budget)).toBe(true);
    expect(maxSteps - budget.left).toBeLessThan(40 * 40 * 5);
  });

  it('is limited: what is not proved within it is wider', () => {
    const many = (leaf: JsonValue) =>
      object(Object.fromEntries(Array.from({ length: maxSteps }, (_, at) => [`p${at}`, leaf])));
    expect(isNarrower(many({ minimum: 1 }), many({ minimum: 2 }))).toBe(false);
  });
});

/** Schemas over few names and small numbers, so that two of them have much to do with each other. */
const names = constantFrom('a', 'b', 'id');
const limit = option(integer({ min: 0, max: 4 }), { nil: undefined });
const { schema } = letrec<{ schema: JsonValue }>((tie) => ({
  schema: oneof(
    { maxDepth: 3, withCrossShrink: true },
    constantFrom<JsonValue>(true, {}, { type: 'string' }, { type: 'integer' }, { type: ['number', 'null'] }),
    record({
      enum: fc.uniqueArray(constantFrom<JsonValue>('a', 1, null, 2.5), { minLength: 1, comparator: 'SameValue' }),
    }),
    record({
      type: constantFrom('number', 'integer'),
      minimum: limit,
      maximum: limit,
      multipleOf: constantFrom(undefined, 1, 2),
    }).map(clean),
    record({
      type: constantFrom('string', undefined),
      minLength: limit,
      maxLength: limit,
      pattern: constantFrom(undefined, '^a'),
    }).map(clean),
    record({
      type: constantFrom('array', undefined),
      items: tie('schema'),
      minItems: limit,
      uniqueItems: constantFrom(undefined, true, false),
    }).map(clean),
    record({
      type: constantFrom('object', undefined),
      properties: fc.dictionary(names, tie('schema'), { noNullPrototype: true }),
      required: option(fc.uniqueArray(names), { nil: undefined }),
      additionalProperties: option(oneof(constantFrom<JsonValue>(false), tie('schema')), { nil: undefined }),
      patternProperties: option(record({ '^a': tie('schema') }), { nil: undefined, freq: 8 }),
    }).map(clean),
    record({ anyOf: tuple(tie('schema'), tie('schema')) }),
    record({ not: tie('schema'), contains: tie('schema') }, { requiredKeys: ['not'] }),
    tuple(tie('schema'), tie('schema')).map(([a, b]) =>
      Object.fromEntries([
        ['if', a],
        ['then', b],
      ]),
    ),
  ) as fc.Arbitrary<JsonValue>,
}));

function clean(made: object): JsonValue {
  return Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined));
}

/** A schema with one keyword that another has, or without one: near enough to be narrower now and then. */
const pair = oneof(
  tuple(schema, schema),
  tuple(schema, schema).map(([a, b]): [JsonValue, JsonValue] => [a, merge(a, b)]),
  tuple(schema, schema).map(([a, b]): [JsonValue, JsonValue] => [merge(a, b), a]),
);
const merge = (a: JsonValue, b: JsonValue): JsonValue => ({ ...Object(a), ...Object(b) });

const value = oneof(
  jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
  fc.dictionary(names, jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>, { noNullPrototype: true }),
);
const values: readonly JsonValue[] = [
  ...['a', 'ab', 'b', '', 0, 1, 2, 2.5, 4, -1, null, true, [], {}, [1, 1], [1, 'a'], ['a', 'b', null]],
  ...[{ a: 1 }, { a: 'a', id: 2 }, { b: {} }, { a: [1], b: 'ab' }, { id: null, a: 2.5 }, { ab: 1 }, { c: true }],
  ...fc.sample(value, 40),
];

it('calls no schema narrower that accepts a value which the old one refused, over 100,000 samples', () => {
  let samples = 0;
  const accepts = (schema: JsonValue) =>
    new Ajv({ strict: false, validateSchema: false, logger: false }).compile(schema as object);
  const check = ([before, after]: readonly [JsonValue, JsonValue]) => {
    if (!isNarrower(before, after)) return;
    const [old, now] = [accepts(before), accepts(after)];
    samples += values.length;
    const wrong = values.filter((each) => now(each) && !old(each));
    expect({ before, after, wrong }).toEqual({ before, after, wrong: [] });
  };
  while (samples < 100_000) assert(property(pair, check), { numRuns: 500 });
}, 120_000);
