// What differs between two definitions, path by path, as a person reads it. Data in, data out.
import { type DefinitionChange, isJsonObject, type JsonValue, joinPath } from '@portico/contracts';
import { visibleJson, visibleText } from './visible-json.js';

const maxChanges = 100;
const maxLength = 2000;
/** Deeper than this, two values are compared and shown as a whole. */
const maxDepth = 32;

type Path = readonly (string | number)[];

/** Undefined stands for what is not there. At most a hundred; the last then says how many more there are. */
export function definitionChanges(before: JsonValue | undefined, after: JsonValue | undefined): DefinitionChange[] {
  const found: DefinitionChange[] = [];
  collect(before, after, [], found);
  if (found.length <= maxChanges) return found;
  const more = `${found.length - maxChanges} more changes`;
  return [...found.slice(0, maxChanges), { what: more, before: null, after: null }];
}

function collect(before: JsonValue | undefined, after: JsonValue | undefined, path: Path, found: DefinitionChange[]) {
  if (isSame(before, after)) return;
  if (path.length < maxDepth && isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    for (const key of keys) collect(own(before, key), own(after, key), [...path, key], found);
    return;
  }
  if (path.length < maxDepth && Array.isArray(before) && Array.isArray(after)) {
    const [old, now]: readonly (readonly JsonValue[])[] = [before, after];
    const length = Math.max(old?.length ?? 0, now?.length ?? 0);
    for (let at = 0; at < length; at += 1) collect(old?.[at], now?.[at], [...path, at], found);
    return;
  }
  found.push({ what: toText(joinPath(path), 200), before: sideOf(before), after: sideOf(after) });
}

function own(object: { readonly [key: string]: JsonValue | undefined }, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

function sideOf(value: JsonValue | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? visibleText(value, maxLength).text : toText(JSON.stringify(value), maxLength);
}

/** Without the quotes of `visibleText`: what is JSON already, or a path. */
function toText(text: string, length: number): string {
  const shown = text.length > length ? `${text.slice(0, length)}…` : text;
  return visibleJson(shown).slice(1, -1).replaceAll('\\"', '"');
}
