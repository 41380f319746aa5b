// The shape of a value without its content: its names, types and lengths.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

/** Items of a list that are shown; how many there are is said. */
const maxItems = 3;
/** Lists and objects within each other. */
const maxDepth = 32;

/** `"text(12)"`, `"number"`, `"boolean"`, `null`; objects keep the names of their members, lists their first items. */
export function shapeOf(value: JsonValue, depth = 0): JsonValue {
  if (typeof value === 'string') return `text(${value.length})`;
  if (value === null) return null;
  if (typeof value !== 'object') return typeof value;
  if (depth >= maxDepth) return Array.isArray(value) ? `list(${value.length})` : 'object';
  if (isJsonObject(value)) return shapeOfObject(value, depth);
  const shown = value.slice(0, maxItems).map((item) => shapeOf(item, depth + 1));
  return value.length > maxItems ? [...shown, `and ${value.length - maxItems} more`] : shown;
}

function shapeOfObject(object: JsonObject, depth: number): JsonObject {
  const entries = Object.entries(object).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, shapeOf(value, depth + 1)] as const],
  );
  return Object.fromEntries(entries);
}
