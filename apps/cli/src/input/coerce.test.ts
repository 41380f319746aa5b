// Texts of the command line as an input schema wants them.
import type { JsonObject } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { coerceArgument } from './coerce.js';

const schema: JsonObject = {
  type: 'object',
  $defs: { size: { type: 'integer' } },
  properties: {
    number: { type: 'number' },
    integer: { type: 'integer' },
    boolean: { type: 'boolean' },
    string: { type: 'string' },
    list: { type: 'array', items: { type: 'string' } },
    object: { type: 'object' },
    nullable: { type: ['integer', 'null'] },
    either: { type: ['number', 'string'] },
    optional: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
    size: { $ref: '#/$defs/size' },
    level: { enum: [1, 2, 'auto'] },
    one: { oneOf: [{ const: true }, { const: 'maybe' }] },
    free: {},
  },
};

describe('an argument', () => {
  it.each([
    ['number', '1.5', 1.5],
    ['number', '-2e3', -2000],
    ['integer', '7', 7],
    ['integer', '1e2', 100],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['string', '1', '1'],
    ['string', 'true', 'true'],
    ['string', '', ''],
    ['list', '["a", "b"]', ['a', 'b']],
    ['object', '{"a": 1}', { a: 1 }],
    ['nullable', 'null', null],
    ['nullable', '3', 3],
    ['either', '3', '3'],
    ['optional', 'null', null],
    ['size', '9', 9],
    ['level', '2', 2],
    ['level', 'auto', 'auto'],
    ['level', '3', '3'], // the service names the choices
    ['one', 'true', true],
    ['free', '1', '1'],
    ['unknown', '1', '1'],
    ['constructor', '1', '1'],
  ])('%s=%s is %j', (name, text, value) => {
    expect(coerceArgument(name, text, schema)).toEqual(value);
  });

  it.each([
    ['number', 'two', 'argument "number": expected a number, got "two"'],
    ['number', '', 'argument "number": expected a number, got ""'],
    ['integer', '1.5', 'argument "integer": expected an integer, got "1.5"'],
    ['boolean', 'yes', 'argument "boolean": expected true or false, got "yes"'],
    ['list', 'a,b', 'argument "list": expected a list as JSON, such as ["a", "b"], got "a,b"'],
    ['list', '[1', 'argument "list": not valid JSON'],
    ['nullable', 'none', 'argument "nullable": expected an integer, or null, got "none"'],
  ])('%s=%s is refused', (name, text, message) => {
    expect(() => coerceArgument(name, text, schema)).toThrow(message);
  });
});
