// Schemas that are proved to be narrower, by samples: Ajv decides in two drafts of JSON Schema which values a schema accepts.
import type { JsonValue } from '@portico/contracts';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { assert, constantFrom, integer, jsonValue, letrec, oneof, option, property, record, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { isNarrower } from './is-narrower.js';

/** Over few names and small numbers, so that two schemas have much to do with each other. */
const names = constantFrom('a', 'b', 'id');
const limit = option(integer({ min: 0, max: 4 }), { nil: undefined });
const literal = constantFrom<JsonValue>('a', 1, null, 2.5, true, { a: 1 }, [1]);
const some = <T>(value: fc.Arbitrary<T>) => option(value, { nil: undefined, freq: 2 });

const { schema } = letrec<{ schema: JsonValue }>((tie) => {
  const part = tie('schema');
  const named = fc.dictionary(names, part, { noNullPrototype: true, maxKeys: 2 });
  const pair = tuple(part, part);
  return {
    schema: oneof(
      { maxDepth: 3, withCrossShrink: true },
      constantFrom<JsonValue>(true, false, {}, { type: 'string' }, { type: 'integer' }, { type: ['number', 'null'] }),
      record({ enum: some(fc.uniqueArray(literal, { minLength: 1 })), const: some(literal) }).map(clean),
      record({
        type: constantFrom('number', 'integer'),
        minimum: limit,
        maximum: limit,
        exclusiveMinimum: limit,
        exclusiveMaximum: limit,
        multipleOf: constantFrom(undefined, 1, 2, 0.5),
      }).map(clean),
      record({
        type: constantFrom('string', undefined),
        minLength: limit,
        maxLength: limit,
        pattern: constantFrom(undefined, '^a', 'b$'),
        format: constantFrom(undefined, 'short', 'lower'),
      }).map(clean),
      record({
        type: constantFrom('array', undefined),
        items: some(part),
        prefixItems: some(pair),
        additionalItems: some(part),
        minItems: limit,
        maxItems: limit,
        uniqueItems: constantFrom(undefined, true, false),
        unevaluatedItems: some(part),
      }).map(clean),
      record({ contains: some(part), minContains: limit, maxContains: limit }).map(clean),
      record({
        type: constantFrom('object', undefined),
        properties: some(named),
        required: some(fc.uniqueArray(names)),
        additionalProperties: some(oneof(constantFrom<JsonValue>(false), part)),
        patternProperties: some(record({ '^a': part })),
        propertyNames: some(part),
        minProperties: limit,
        maxProperties: limit,
      }).map(clean),
      record({
        properties: some(named),
        dependentSchemas: some(named),
        dependentRequired: some(record({ a: fc.uniqueArray(names) })),
        dependencies: some(record({ b: oneof(part, fc.uniqueArray(names, { minLength: 1 })) })),
        unevaluatedProperties: some(part),
      }).map(clean),
      record({ anyOf: some(pair), oneOf: some(pair), allOf: some(pair), not: some(part) }).map(clean),
      tuple(part, some(part), some(part)).map(([condition, then, other]) => conditional(condition, then, other)),
      record({
        $ref: constantFrom('#/$defs/d', '#/definitions/d'),
        $defs: record({ d: part }),
        definitions: record({ d: part }),
      }),
      record({ type: constantFrom('string', 'integer'), nullable: constantFrom(true) }),
    ) as fc.Arbitrary<JsonValue>,
  };
});

/** In entries: an object with a member `then` may be taken for a promise. */
function conditional(condition: JsonValue, then: JsonValue | undefined, other: JsonValue | undefined): JsonValue {
  const members = [
    ['if', condition],
    ['then', then],
    ['else', other],
  ];
  return Object.fromEntries(members.filter(([, part]) => part !== undefined));
}

function clean(made: object): JsonValue {
  return Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined));
}

const merge = (a: JsonValue, b: JsonValue): JsonValue => ({ ...Object(a), ...Object(b) });
/** Two schemas that share keywords, at the root or in a part: near enough to be narrower now and then. */
const near = oneof(
  tuple(schema, schema),
  tuple(schema, schema).map(([a, b]): [JsonValue, JsonValue] => [a, merge(a, b)]),
  tuple(schema, schema).map(([a, b]): [JsonValue, JsonValue] => [merge(a, b), a]),
  tuple(schema, schema, schema).map(([a, b, c]): [JsonValue, JsonValue] => [merge(c, a), merge(merge(c, a), b)]),
);
const wrap = constantFrom<(part: JsonValue) => JsonValue>(
  (part) => part,
  (part) => ({ properties: { a: part } }),
  (part) => ({ items: part, type: 'array' }),
  (part) => ({ additionalProperties: part }),
  (part) => ({ patternProperties: { '^a': part } }),
  (part) => ({ propertyNames: part }),
  (part) => ({ anyOf: [part, { type: 'null' }] }),
  (part) => ({ not: part }),
  (part) => conditional({ type: 'string' }, part, undefined),
);
const pairs = tuple(near, wrap).map(([[before, after], inside]) => [inside(before), inside(after)] as const);

const value = oneof(
  jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
  fc.dictionary(names, jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>, { noNullPrototype: true }),
);
const values: readonly JsonValue[] = [
  ...[
    'a',
    'ab',
    'b',
    '',
    'aabb',
    'A',
    0,
    1,
    2,
    2.5,
    4,
    -1,
    0.25,
    null,
    true,
    [],
    {},
    [1, 1],
    [1, 'a'],
    ['a', 'b', null],
  ],
  ...[{ a: 1 }, { a: 'a', id: 2 }, { b: {} }, { a: [1], b: 'ab' }, { id: null, a: 2.5 }, { ab: 1 }, { c: true }, [[1]]],
  ...[{ a: null, b: null, id: null }, { a: 'a', b: 1 }, [null, 1, 'a', 2], { id: 1 }, [{ a: 1 }], [1, 2, 3, 4, 5]],
  ...fc.sample(value, 40).filter((each) => !/toString|valueOf/.test(JSON.stringify(each))), // Ajv calls these
];

/** Each of them has to be in some schemas that were proved to be narrower than another one. */
const keywords = [
  ...['enum', 'const', 'multipleOf', 'exclusiveMinimum', 'maximum', 'pattern', 'format', 'maxLength', 'uniqueItems'],
  ...['prefixItems', 'contains', 'minContains', 'propertyNames', 'patternProperties', 'additionalProperties'],
  ...['dependentSchemas', 'dependentRequired', 'dependencies', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'else'],
  ...['minProperties', 'additionalItems', 'nullable', 'required', 'maxItems'],
];

const formats = { short: (text: string) => text.length < 2, lower: (text: string) => text === text.toLowerCase() };
const options = { strict: false, validateSchema: false, logger: false, formats } as const;
const dialects = [() => new Ajv(options), () => new Ajv2020(options)];

it('calls no schema narrower that accepts a value which the old one refused, over 100,000 samples', () => {
  let samples = 0;
  const seen = new Map(keywords.map((keyword) => [keyword, 0]));
  const check = ([before, after]: readonly [JsonValue, JsonValue]) => {
    if (JSON.stringify(before) === JSON.stringify(after) || !isNarrower(before, after)) return;
    const text = JSON.stringify(after);
    for (const [keyword, times] of seen) if (text.includes(`"${keyword}":`)) seen.set(keyword, times + 1);
    for (const dialect of dialects) {
      const [old, now] = [before, after].map((each) => dialect().compile(each as object));
      const wrong = values.filter((each) => now?.(each) === true && old?.(each) !== true);
      samples += values.length;
      expect({ before, after, wrong }).toEqual({ before, after, wrong: [] });
    }
  };
  const isEnough = () => samples >= 100_000 && [...seen.values()].every((times) => times >= 5);
  while (!isEnough()) assert(property(pairs, check), { numRuns: 500 });
}, 180_000);
