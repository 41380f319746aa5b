// `name=text` as the input schema of a tool wants it. Only what the schema says is done: where it takes a string, or says
// nothing, the text stays as it is.
import type { JsonObject, JsonValue } from '@portico/contracts';
import { UsageFailure } from '../failures.js';
import { isObject } from '../is-object.js';
import { parseValue } from './parse-value.js';

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Undefined if the text is not of the type. */
const readers: Readonly<Record<string, (text: string, name: string) => JsonValue | undefined>> = {
  integer: (text, name) => {
    const value = jsonNumber.test(text) ? parseValue(text, name) : undefined;
    return Number.isInteger(value) ? value : undefined;
  },
  number: (text, name) => (jsonNumber.test(text) ? parseValue(text, name) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  null: (text) => (text === 'null' ? null : undefined),
  array: (text, name) => (text.trimStart().startsWith('[') ? parseValue(text, name) : undefined),
  object: (text, name) => (text.trimStart().startsWith('{') ? parseValue(text, name) : undefined),
};

const wanted: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list as JSON, such as ["a", "b"]',
  object: 'an object as JSON, such as {"a": 1}',
};

/** @param schema of the whole tool. @throws UsageFailure with the name of the argument and what it may be */
export function coerceArgument(name: string, text: string, schema: JsonObject): JsonValue {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const found = isObject(property) ? alternativesOf(property, schema) : [];
  const choices = found.flatMap(({ enum: values, const: value }) => (Array.isArray(values) ? values : (value ?? [])));
  const choice = choices.find((value) => (typeof value === 'string' ? value : JSON.stringify(value)) === text);
  if (choice !== undefined) return choice;
  const types = [...new Set(found.flatMap(typesOf))];
  if (types.length === 0 || types.includes('string') || types.includes('any')) return text;
  for (const type of types) {
    const value = readers[type]?.(text, `argument "${name}"`);
    if (value !== undefined) return value;
  }
  const expected = types.map((type) => wanted[type] ?? type).join(', or ');
  throw new UsageFailure(
    `argument "${name}": expected ${expected}, got "${text}"; ${name}:=JSON passes a value as it is`,
  );
}

/** The schema behind a local reference, or the alternatives of one, one level deep. */
function alternativesOf(schema: JsonObject, root: JsonObject): readonly JsonObject[] {
  const own = resolved(schema, root);
  const { anyOf, oneOf } = own;
  const alternatives = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [own];
  return alternatives.filter(isObject).map((alternative) => resolved(alternative, root));
}

function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const [, block = '', name = ''] =
    /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(typeof schema.$ref === 'string' ? schema.$ref : '') ?? [];
  const definitions = isObject(root[block]) ? root[block] : {};
  const found = isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  return isObject(found) ? found : schema;
}

/** `any` where a schema says nothing of its type. */
function typesOf({ type, enum: values, const: value }: JsonObject): readonly string[] {
  if (Array.isArray(type)) return type.map(String);
  if (typeof type === 'string') return [type];
  const known = Array.isArray(values) ? values : value === undefined ? [] : [value];
  return known.length === 0
    ? ['any']
    : known.map((each) => (each === null ? 'null' : Array.isArray(each) ? 'array' : typeof each));
}
