// Takes the modifiers out of a call's arguments, so that no tool ever sees them.
// Never looks at the other arguments.
import { type Issue, isJsonObject, type JsonObject, type JsonValue, joinPath, keepExact } from '@portico/contracts';
import { type ParsedQuery, parseQuery } from './json-path/parse-query.js';
import type { Query } from './json-path/query.js';

/** Changes to a result, checked and compiled. */
export interface Modifiers {
  /** `_jsonpath`: the part of the result to keep. */
  readonly query?: Query;
  /** `_limit_lines`: the most lines of every string. */
  readonly maxLines?: number;
  /** `_truncate_bytes`: the most bytes of the result as UTF-8 JSON. */
  readonly maxBytes?: number;
}

export type TakenModifiers =
  | { readonly ok: true; readonly modifiers: Modifiers; readonly args: JsonObject }
  | { readonly ok: false; readonly issue: Issue };

const keys: readonly string[] = ['_jsonpath', '_limit_lines', '_truncate_bytes'];

/**
 * Splits `args` into modifiers and the tool's own arguments. `args` without modifiers come back as they are. An
 * argument that the tool declares in the `properties` of its schema is no modifier. The issue names the field:
 * `args._jsonpath` is no valid query (RFC 9535), or a number is no positive safe integer.
 */
export function takeModifiers(args: JsonObject, properties?: JsonValue): TakenModifiers {
  let modifiers: Modifiers | undefined;
  for (const key of keys) {
    if (!Object.hasOwn(args, key) || args[key] === undefined || declares(properties, key)) continue;
    const taken = takeOne(key, args[key]);
    if (!taken.ok) return { ok: false, issue: { path: joinPath(['args', key]), message: taken.message } };
    modifiers = { ...modifiers, ...taken.modifiers };
  }
  return modifiers === undefined
    ? { ok: true, modifiers: {}, args }
    : { ok: true, modifiers, args: withoutKeys(args, properties) };
}

function declares(properties: JsonValue | undefined, key: string): boolean {
  return isJsonObject(properties) && Object.hasOwn(properties, key);
}

function withoutKeys(args: JsonObject, properties: JsonValue | undefined): JsonObject {
  const own = Object.entries(args).filter(([key]) => !keys.includes(key) || declares(properties, key));
  return keepExact(args, Object.fromEntries(own));
}

type TakenModifier =
  | { readonly ok: true; readonly modifiers: Modifiers }
  | { readonly ok: false; readonly message: string };

function takeOne(key: string, value: JsonValue | undefined): TakenModifier {
  if (key === '_jsonpath') {
    const parsed: ParsedQuery =
      typeof value === 'string' ? parseQuery(value) : { ok: false, message: 'must be a JSONPath query in a string' };
    return parsed.ok ? { ok: true, modifiers: { query: parsed.query } } : parsed;
  }
  if (!Number.isSafeInteger(value) || Number(value) < 1) return { ok: false, message: 'must be a positive integer' };
  const count = Number(value);
  return { ok: true, modifiers: key === '_limit_lines' ? { maxLines: count } : { maxBytes: count } };
}
