// How much work a JSON Schema can ask for: its subschemas, each counted again wherever a local reference brings it in.
// Small schemas can ask for exponential work (references that double at every level); this finds them without doing it.
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

/**
 * Number of objects a check may visit, or Infinity past `limit`, and wherever a reference leads somewhere that this
 * cannot follow (an anchor, an embedded `$id`): what is not known to be cheap counts as dear. A reference to itself
 * counts once: data ends it.
 */
export function schemaCost(schema: JsonObject, limit: number): number {
  const known = new Map<JsonObject, number>();
  const open = new Set<JsonObject>();

  const costOf = (value: JsonValue | undefined): number => {
    if (Array.isArray(value)) return sum(value, costOf);
    if (!isJsonObject(value)) return 0;
    const before = known.get(value);
    if (before !== undefined) return before;
    if (open.has(value)) return 1;
    if (value !== schema && (typeof value.$id === 'string' || typeof value.id === 'string')) return unknown;
    open.add(value);
    const members = sum(Object.keys(value), (key) => costOfMember(key, value[key]));
    const cost = 1 + members + sum(referenceKeys, (key) => costOfReference(value[key]));
    open.delete(value);
    known.set(value, cost);
    return cost;
  };

  const costOfMember = (key: string, member: JsonValue | undefined) =>
    isDefinitions(key) ? 0 : costOf(member) + namesRequired(key, member);

  const costOfReference = (reference: JsonValue | undefined): number => {
    if (typeof reference !== 'string') return 0;
    const found = target(schema, reference);
    return found === undefined ? unknown : costOf(found);
  };

  /** Goes no further than the limit. */
  const sum = <T>(parts: readonly T[], toCost: (part: T) => number) => {
    let total = 0;
    for (const part of parts) {
      total += toCost(part);
      if (total > limit) return unknown;
    }
    return total;
  };

  return costOf(schema);
}

const unknown = Number.POSITIVE_INFINITY;
const referenceKeys = ['$ref', '$dynamicRef', '$recursiveRef'];

/** A statement is compiled for each name that `dependentRequired` lists, and for each in the older `dependencies`. */
function namesRequired(key: string, member: JsonValue | undefined): number {
  if ((key !== 'dependentRequired' && key !== 'dependencies') || !isJsonObject(member)) return 0;
  return Object.values(member).reduce<number>((sum, names) => sum + (Array.isArray(names) ? names.length : 0), 0);
}

/** Definitions cost nothing until something refers to them. */
function isDefinitions(key: string): boolean {
  return key === '$defs' || key === 'definitions';
}

/** The target of a local reference (`#`, `#/$defs/x`; RFC 6901, section 6); undefined for any other. */
function target(root: JsonObject, reference: string): JsonValue | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let value: JsonValue | undefined = root;
  for (const token of reference.slice(1).split('/').slice(1)) {
    const key = unescapeToken(token);
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) && key !== undefined && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function unescapeToken(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
