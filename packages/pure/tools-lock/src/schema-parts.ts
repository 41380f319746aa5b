// Where a JSON Schema has schemas in it, and which of its keywords are words for people: they accept and refuse nothing.
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
