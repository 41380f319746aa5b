// Converts arguments to the types that a tool's schema says, where a server is configured so: models write "2" for a
// number. Nothing is converted that the schema does not refuse, and nothing where the result would be refused as well.
import {
  type Bounds,
  clientBounds,
  exactTextOf,
  excessOf,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  joinPath,
  parseExact,
  withMember,
} from '@portico/contracts';
import type { ErrorObject } from 'ajv';

export interface Coerced {
  readonly args: JsonObject;
  /** The conversions, such as `args.count: string to integer`. Names no value. */
  readonly changes: readonly string[];
}

/** Values that one call may have converted: each costs a check. */
const maxConversions = 20;
/** Levels of a message from a client around the members of the arguments. */
const levelsAround = 2;

/**
 * The arguments as the schema has them, or undefined if conversions do not help. Values parsed from texts nest no
 * deeper, and are no larger, than the arguments of a call may be.
 * @param errorsIn the problems of arguments; undefined for valid ones
 */
export function coerceArguments(
  errorsIn: (args: JsonObject) => readonly ErrorObject[] | undefined,
  args: JsonObject,
): Coerced | undefined {
  let current: JsonObject = args;
  let valuesLeft = clientBounds.values;
  const changes: string[] = [];
  for (let errors = errorsIn(current); errors !== undefined; errors = errorsIn(current)) {
    const found = changes.length < maxConversions ? firstConversion(errors, current, valuesLeft) : undefined;
    if (found === undefined) return undefined;
    current = found.args;
    valuesLeft -= found.values;
    changes.push(found.change);
  }
  return { args: current, changes };
}

function firstConversion(errors: readonly ErrorObject[], args: JsonObject, values: number) {
  for (const { keyword, params, instancePath } of errors) {
    if (keyword !== 'type' || instancePath === '') continue;
    const tokens = instancePath.split('/').slice(1).map(unescapePointer);
    const given = givenAt(args, tokens);
    const bounds: Bounds = { levels: clientBounds.levels - levelsAround - tokens.length, values };
    for (const type of typesIn(params.type)) {
      const made = given === undefined ? undefined : convert(given, type, bounds);
      if (made === undefined) continue;
      const change = `${joinPath(['args', ...tokens.map(keyOf)])}: ${typeOf(given?.value)} to ${type}`;
      return { args: withValueAt(args, tokens, made), change, values: valuesIn(made.value) };
    }
  }
  return undefined;
}

function typesIn(type: unknown): readonly string[] {
  if (typeof type === 'string') return type.split(',');
  return Array.isArray(type) ? type.filter((each) => typeof each === 'string') : [];
}

/** A value, and the text of a number where that is known. */
interface Written {
  readonly value: JsonValue;
  readonly text?: string | undefined;
}

/** Undefined if the value does not say one of that type. */
function convert({ value, text }: Written, type: string, bounds: Bounds): Written | undefined {
  if (type === 'string')
    return typeof value === 'number' || typeof value === 'boolean' ? { value: text ?? String(value) } : undefined;
  if (typeof value !== 'string') return undefined;
  const parsed = parsedText(value, bounds);
  if (parsed === undefined || !isOf(type, parsed)) return undefined;
  return { value: parsed, text: typeof parsed === 'number' ? value.trim() : undefined };
}

function isOf(type: string, value: JsonValue): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    default:
      return false;
  }
}

function parsedText(text: string, bounds: Bounds): JsonValue | undefined {
  if (excessOf(text, bounds) !== undefined) return undefined;
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** Within the bounds, so that it may recurse. */
function valuesIn(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + valuesIn(member ?? null), 1);
}

function typeOf(value: JsonValue | undefined): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function givenAt(args: JsonObject, tokens: readonly string[]): Written | undefined {
  const key = tokens.at(-1) ?? '';
  const around = tokens.slice(0, -1).reduce<JsonValue | undefined>(memberOf, args);
  const value = memberOf(around, key);
  if (value === undefined) return undefined;
  const isNumber = typeof value === 'number' && typeof around === 'object' && around !== null;
  return { value, text: isNumber ? exactTextOf(around, key, value) : undefined };
}

function memberOf(value: JsonValue | undefined, token: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(token)];
  return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

/** A copy with another value at a place that is there. */
function withValueAt<T extends object>(container: T, [token = '', ...rest]: readonly string[], put: Written): T {
  if (rest.length === 0) return withMember(container, token, put.value, put.text);
  const member = memberOf(container as JsonValue, token) as object; // the place is there
  return withMember(container, token, withValueAt(member, rest, put));
}

/** RFC 6901, section 4. */
function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Numbers are array indexes. */
function keyOf(token: string): string | number {
  return /^\d+$/.test(token) ? Number(token) : token;
}
