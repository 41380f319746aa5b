import type { JsonObject } from '@portico/contracts';
import { expect, it } from 'vitest';
import { createSchemaValidator, withoutPatterns } from './schema-validator.js';

const schema: JsonObject = {
  type: 'object',
  properties: { a: { type: 'number' }, list: { type: 'array', items: { type: 'string' } } },
  required: ['a'],
};
const problems = (value: unknown) =>
  createSchemaValidator()
    .validateFormData(value, schema)
    .errors.map(({ property, message }) => [property, message]);

it('names the field that is missing, and the item that is wrong', () => {
  expect(problems({})).toEqual([['.a', 'is required']]);
  expect(problems({ a: 1, list: ['x', 2] })).toEqual([['.list.1', expect.stringContaining('Expected "string"')]]);
  expect(problems({ a: 1 })).toEqual([]);
});

it('runs no regular expression of an upstream', () => {
  const hostile = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
  const { errors } = createSchemaValidator().validateFormData({ a: `${'a'.repeat(60)}!` }, hostile as never);
  expect(errors).toEqual([]);
});

it('leaves out patterns, and keeps fields that are called so', () => {
  const named = { properties: { pattern: { type: 'string', pattern: 'x' } }, patternProperties: { x: {} } };
  expect(withoutPatterns(named)).toEqual({ properties: { pattern: { type: 'string' } } });
});

it('takes a schema that refers to what is not there for one that says nothing', () => {
  const { errors } = createSchemaValidator().validateFormData({}, { $ref: '#/$defs/gone' });
  expect(errors).toEqual([]);
});
