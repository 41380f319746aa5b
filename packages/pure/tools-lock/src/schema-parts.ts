// Where a JSON Schema has schemas in it, and which of its keywords are words for people: they accept and refuse nothing.
import { canonicalize } from '@portico/canonical-json';
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

/** Keywords whose value is one schema, or for `items` a list of them. */
const schemas: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Keywords whose value has a schema under each name. */
const maps: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);
const lists: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

/** JSON Schema validation, section 9, and `$comment`. A model reads them. */
export const words: ReadonlySet<string> = new Set([
  '$comment',
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
]);

/** The same schema without its words, those of the schemas in it included. */
export function withoutWords(schema: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(schema)) return schema;
  const kept = Object.keys(schema).filter((keyword) => !words.has(keyword));
  return Object.fromEntries(kept.map((keyword) => [keyword, partWithoutWords(keyword, schema[keyword])]));
}

/** A schema and all schemas in it. */
export function* schemasIn(schema: JsonValue | undefined): Generator<JsonObject> {
  if (!isJsonObject(schema)) return;
  yield schema;
  for (const [keyword, value] of Object.entries(schema)) {
    if (schemas.has(keyword) || lists.has(keyword)) {
      for (const part of Array.isArray(value) ? value : [value]) yield* schemasIn(part);
    } else if (maps.has(keyword) && isJsonObject(value)) {
      for (const part of Object.values(value)) yield* schemasIn(part);
    }
  }
}

/** Keywords whose names say nothing beside what JSON Schema says. Others are text that a server chose. */
const otherKeywords: ReadonlySet<string> = new Set([
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$id',
  '$recursiveRef',
  '$ref',
  '$schema',
  'const',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'dependentRequired',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'nullable',
  'pattern',
  'required',
  'type',
  'uniqueItems',
]);
const typeNames: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

/**
 * Every text in a schema that its author chose, in canonical form: texts and names of members wherever they are, and any
 * value of a word such as `default`. Names of keywords and of types are left out.
 */
export function* textsOfSchema(schema: JsonValue | undefined): Generator<string> {
  if (!isJsonObject(schema)) {
    yield* textsOfValue(schema);
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (!isKeyword(keyword)) yield canonicalize(keyword);
    if (words.has(keyword)) yield* textsOfValue(value, true);
    else if (keyword === 'type') yield* textsOfTypes(value);
    else if (schemas.has(keyword) || lists.has(keyword)) {
      for (const part of Array.isArray(value) ? value : [value]) yield* textsOfSchema(part);
    } else if (maps.has(keyword) && isJsonObject(value)) {
      for (const [name, part] of Object.entries(value)) {
        yield canonicalize(name);
        yield* textsOfSchema(part);
      }
    } else yield* textsOfValue(value);
  }
}

const isKeyword = (name: string) => [words, schemas, maps, lists, otherKeywords].some((keywords) => keywords.has(name));

function* textsOfTypes(value: JsonValue | undefined): Generator<string> {
  for (const each of Array.isArray(value) ? value : [value]) if (!typeNames.has(each)) yield* textsOfValue(each);
}

/** @param isRead whether a model reads numbers and the like here as well */
function* textsOfValue(value: JsonValue | undefined, isRead = false): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* textsOfValue(each, isRead);
  else if (isJsonObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      yield canonicalize(name);
      yield* textsOfValue(each, isRead);
    }
  } else if (typeof value === 'string' || (isRead && value !== undefined)) yield canonicalize(value);
}

function partWithoutWords(keyword: string, value: JsonValue | undefined): JsonValue | undefined {
  if (schemas.has(keyword)) return Array.isArray(value) ? value.map(bare) : withoutWords(value);
  if (lists.has(keyword) && Array.isArray(value)) return value.map(bare);
  if (maps.has(keyword) && isJsonObject(value)) return mapValues(value);
  return value;
}

const bare = (schema: JsonValue): JsonValue => withoutWords(schema) ?? null;

function mapValues(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, schema]) => [name, withoutWords(schema)]));
}
