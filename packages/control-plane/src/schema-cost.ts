// How much work a JSON Schema can ask for: its subschemas, each counted again wherever a local reference brings it in.
// Small schemas can ask for exponential work (references that double at every level); this finds them without doing it.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

/** Number of objects a check may visit, or Infinity past `limit`. A reference to itself counts once: data ends it. */
export function schemaCost(schema: JsonObject, limit: number): number {
  const known = new Map<JsonObject, number>();
  const open = new Set<JsonObject>();

  const costOf = (value: JsonValue | undefined): number => {
    if (Array.isArray(value)) return sum(value.map(costOf));
    if (!isJsonObject(value)) return 0;
    const before = known.get(value);
    if (before !== undefined) return before;
    if (open.has(value)) return 1;
    open.add(value);
    const members = Object.entries(value).map(([key, member]) => (isDefinitions(key) ? 0 : costOf(member)));
    const cost = 1 + sum(members) + costOf(target(schema, value.$ref)) + costOf(target(schema, value.$dynamicRef));
    open.delete(value);
    known.set(value, cost);
    return cost;
  };

  const sum = (costs: readonly number[]) => {
    const total = costs.reduce((a, b) => a + b, 0);
    return total > limit ? Number.POSITIVE_INFINITY : total;
  };

  return costOf(schema);
}

/** Definitions cost nothing until something refers to them. */
function isDefinitions(key: string): boolean {
  return key === '$defs' || key === 'definitions';
}

/** What a local reference (`#`, `#/$defs/x`, RFC 6901) points at. Others cost what an unknown thing costs: nothing here. */
function target(root: JsonObject, reference: JsonValue | undefined): JsonValue | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let value: JsonValue | undefined = root;
  for (const token of reference.slice(1).split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}
