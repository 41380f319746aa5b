// Converts arguments to the types that a tool's schema says, where a server is configured so: models write "2" for a
// number. Nothing is converted that the schema does not refuse, and nothing where the result would be refused as well.
import { isJsonObject, type JsonObject, type JsonValue, joinPath, parseJson } from '@portico/contracts';
import type { ErrorObject } from 'ajv';

export interface Coerced {
  readonly args: JsonObject;
  /** What was converted, such as `args.count: string to integer`. Names no value. */
  readonly changes: readonly string[];
}

/** Values that one call may have converted: each costs a check. */
const maxConversions = 20;

/**
 * The arguments as the schema has them, or undefined where conversions do not help.
 * @param errorsIn what is wrong with arguments; undefined where they are right
 */
export function coerceArguments(
  errorsIn: (args: JsonObject) => readonly ErrorObject[] | undefined,
  args: JsonObject,
): Coerced | undefined {
  let current: JsonObject = args;
  const changes: string[] = [];
  for (let errors = errorsIn(current); errors !== undefined; errors = errorsIn(current)) {
    const found = changes.length < maxConversions ? firstConversion(errors, current) : undefined;
    if (found === undefined) return undefined;
    current = found.args;
    changes.push(found.change);
  }
  return { args: current, changes };
}

function firstConversion(errors: readonly ErrorObject[], args: JsonObject) {
  for (const { keyword, params, instancePath } of errors) {
    if (keyword !== 'type' || instancePath === '') continue;
    const tokens = instancePath.split('/').slice(1).map(unescapePointer);
    const given = valueAt(args, tokens);
    for (const type of typesIn(params.type)) {
      const value = given === undefined ? undefined : convert(given, type);
      if (value === undefined) continue;
      const change = `${joinPath(['args', ...tokens.map(keyOf)])}: ${typeOf(given)} to ${type}`;
      return { args: withValueAt(args, tokens, value) as JsonObject, change }; // its root is an object
    }
  }
  return undefined;
}

function typesIn(type: unknown): readonly string[] {
  if (typeof type === 'string') return type.split(',');
  return Array.isArray(type) ? type.filter((each) => typeof each === 'string') : [];
}

/** Undefined where the value does not say one of that type. */
function convert(value: JsonValue, type: string): JsonValue | undefined {
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const parsed = parsedText(value);
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(parsed) ? parsed : undefined;
    case 'number':
      return typeof parsed === 'number' && Number.isFinite(parsed) ? parsed : undefined;
    case 'boolean':
      return typeof parsed === 'boolean' ? parsed : undefined;
    case 'array':
      return Array.isArray(parsed) ? parsed : undefined;
    case 'object':
      return isJsonObject(parsed) ? parsed : undefined;
    default:
      return undefined;
  }
}

function parsedText(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function typeOf(value: JsonValue | undefined): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function valueAt(value: JsonValue | undefined, tokens: readonly string[]): JsonValue | undefined {
  return tokens.reduce<JsonValue | undefined>((at, token) => {
    if (Array.isArray(at)) return at[Number(token)];
    return isJsonObject(at) && Object.hasOwn(at, token) ? at[token] : undefined;
  }, value);
}

function withValueAt(value: JsonValue | undefined, [token, ...rest]: readonly string[], put: JsonValue): JsonValue {
  if (token === undefined) return put;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === Number(token) ? withValueAt(item, rest, put) : item));
  }
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(entries.map(([key, each]) => [key, key === token ? withValueAt(each, rest, put) : each]));
}

/** RFC 6901, section 4. */
function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Numbers are array indexes. */
function keyOf(token: string): string | number {
  return /^\d+$/.test(token) ? Number(token) : token;
}
