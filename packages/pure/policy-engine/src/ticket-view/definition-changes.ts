// Lists the differences between two definitions, path by path, for a person. Data in, data out.
import { type DefinitionChange, isJsonObject, type JsonValue, joinPath } from '@portico/contracts';
import { differenceOf, type Sides } from './difference.js';
import { cutText, visibleJson } from './visible-json.js';

const maxChanges = 100;
const maxPath = 200;
/** Deeper than this, two values are compared and shown as a whole. */
const maxDepth = 32;

type Path = readonly (string | number)[];

export interface DefinitionChanges {
  readonly changes: readonly DefinitionChange[];
  /** Whether they are all there, none of them cut. */
  readonly complete: boolean;
}

interface Found extends Sides {
  readonly path: Path;
}

/** Undefined means absent. At most a hundred; one more then gives the number of the others. */
export function definitionChanges(before: JsonValue | undefined, after: JsonValue | undefined): DefinitionChanges {
  const found: Found[] = [];
  collect(before, after, [], found);
  const shown = found.slice(0, maxChanges).map(toChange);
  const changes = shown.map(({ change }) => change);
  if (found.length <= maxChanges) return { changes, complete: shown.every(({ isCut }) => !isCut) };
  const more = `${found.length - maxChanges} more changes`;
  return { changes: [...changes, { what: more, before: null, after: null }], complete: false };
}

function collect(before: JsonValue | undefined, after: JsonValue | undefined, path: Path, found: Found[]) {
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
  found.push({ path, before, after });
}

function own(object: { readonly [key: string]: JsonValue | undefined }, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

function toChange({ path, ...sides }: Found): { readonly change: DefinitionChange; readonly isCut: boolean } {
  const name = cutText(joinPath(path), maxPath);
  const what = visibleJson(name.text).slice(1, -1).replaceAll('\\"', '"'); // without the quotes of a JSON string
  const { before, after, isCut } = differenceOf(sides);
  return { change: { what: name.isCut ? `${what}…` : what, before, after }, isCut: isCut || name.isCut };
}
