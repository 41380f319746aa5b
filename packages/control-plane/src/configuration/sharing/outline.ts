// The shared part of a file, with digests in the place of values: enough to find later changes, without storing the
// secrets that it may contain.
import { digestOf } from '@portico/canonical-json';
import { isJsonObject, type JsonObject, type JsonValue, joinPath } from '@portico/contracts';
import type { ConfigEdit } from '../config-source.js';
import { sharedPart } from './shared-fields.js';

export function outlineOf(file: JsonObject): JsonObject {
  return toOutline(sharedPart(file));
}

/**
 * The edits that turn the outlined file into the given one. Objects are compared field by field, including new ones:
 * another file may get the same object. Everything else is replaced as a whole, and so is a new definition of a server.
 */
export function editsSince(outline: JsonObject, file: JsonObject): readonly ConfigEdit[] {
  return differences([], outline, sharedPart(file));
}

function differences(path: readonly string[], outline: JsonObject, now: JsonObject): readonly ConfigEdit[] {
  const gone = Object.keys(outline).filter((name) => !Object.hasOwn(now, name));
  return [
    ...gone.map((name) => ({ path: [...path, name], value: undefined })),
    ...Object.entries(now).flatMap(([name, value]): readonly ConfigEdit[] => {
      if (value === undefined) return [];
      const at = [...path, name];
      const before = Object.hasOwn(outline, name) ? outline[name] : isNewUnit(at, value) ? undefined : {};
      if (isJsonObject(value) && isJsonObject(before)) return differences(at, before, value);
      return !isJsonObject(value) && before === digestOfValue(value) ? [] : [{ path: at, value }];
    }),
  ];
}

/** Half of two definitions each is not a valid one; and an empty object has nothing to compare. */
function isNewUnit(path: readonly string[], value: JsonValue): boolean {
  const isDefinition = path.length === 2 && path[0] === 'mcpServers';
  return isDefinition || !isJsonObject(value) || Object.keys(value).length === 0;
}

/** Paths of the fields in which two outlines differ. */
export function differingFields(one: JsonObject, other: JsonObject, path: readonly string[] = []): readonly string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.flatMap((name) => {
    const [a, b] = [one, other].map((outline) => (Object.hasOwn(outline, name) ? outline[name] : undefined));
    const at = [...path, name];
    if (isJsonObject(a) && isJsonObject(b)) return differingFields(a, b, at);
    return a === b ? [] : [joinPath(at)];
  });
}

function toOutline(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, isJsonObject(value) ? toOutline(value) : digestOfValue(value)]],
    ),
  );
}

function digestOfValue(value: JsonValue): string {
  return digestOf({ value });
}
