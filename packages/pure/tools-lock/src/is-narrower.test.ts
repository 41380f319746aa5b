// Schemas that are proved to be narrower, by cases. Samples are in narrower-samples.test.ts.
import type { JsonValue } from '@portico/contracts';
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
