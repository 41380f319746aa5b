// Rewrites every string value of a JSON value, at any depth. Keys stay as they are: they are the shape, not the text.
// Never copies a part in which nothing changed.
import { isJsonObject, type JsonValue, keepExact } from '@portico/contracts';
import { LimitExceeded } from './limit-exceeded.js';

/** Deeper values are not rewritten. JSON.stringify itself gives up at a few thousand levels. */
const maxDepth = 1_000;

/** Applies `change` to every string; give it values that passed `checkDepth`. */
export function mapStrings(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => mapStrings(item, change));
    return items.some((item, at) => item !== value[at]) ? keepExact(value, items) : value;
  }
  if (!isJsonObject(value)) return value;
  let isChanged = false;
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue | undefined] => {
    const changed = item === undefined ? item : mapStrings(item, change);
    isChanged ||= changed !== item;
    return [key, changed];
  });
  return isChanged ? keepExact(value, Object.fromEntries(entries)) : value;
}

/** @throws LimitExceeded if recursion over the value could exhaust the stack */
export function checkDepth(value: JsonValue): void {
  const pending: (readonly [JsonValue, number])[] = [[value, 1]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [container, depth] = next;
    if (typeof container !== 'object' || container === null) continue;
    if (depth > maxDepth)
      throw new LimitExceeded(`cannot be applied: the result is nested deeper than ${maxDepth} levels (a fixed limit)`);
    for (const item of Object.values(container)) {
      if (typeof item === 'object' && item !== null) pending.push([item, depth + 1]);
    }
  }
}
