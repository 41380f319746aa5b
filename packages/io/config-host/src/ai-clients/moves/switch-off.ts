// Entries of a client's file that the client shall leave out, and back again: texts in, texts out. Everything else of the
// file stays, which is checked by reading what was written.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@portico/contracts';
import type { ClientKind } from '../client.js';
import { FormatProblem, isRecord, type Path, valueAt } from '../formats/file-format.js';

/** The data needed to put an entry back. */
export type SwitchedOff = { readonly path: Path; readonly name: string } & (
  | { readonly how: 'removed' /** Its value as it was written. */; readonly text: string }
  | {
      readonly how: 'flag';
      readonly field: string;
      readonly value: boolean;
      /** The earlier value of the field; null if it was absent. */
      readonly was: boolean | null;
    }
);

export interface Entry {
  readonly path: Path;
  readonly name: string;
  /** As it was found. */
  readonly raw: unknown;
}

/** @throws FormatProblem, also where an entry is another one by now */
export function switchOff(
  kind: ClientKind,
  text: string,
  entries: readonly Entry[],
): { readonly text: string; readonly switchedOff: readonly SwitchedOff[] } {
  const root = kind.format.parse(text);
  for (const { path, name, raw } of entries) {
    if (isSame(valueAt(root, [...path, name]), raw)) continue;
    throw new FormatProblem(`its entry "${name}" was changed by another program just now; try again`);
  }
  const flag = kind.offFlag(root);
  let after = text;
  const switchedOff = entries.map((entry): SwitchedOff => {
    const { path, name, raw } = entry;
    const common = { path, name };
    if (flag === null) {
      const written = kind.format.textOf(after, path, name) ?? '';
      after = kind.format.remove(after, path, name);
      return { ...common, how: 'removed', text: written };
    }
    const was = isRecord(raw) && typeof raw[flag.field] === 'boolean' ? (raw[flag.field] as boolean) : null;
    after = kind.format.setFlag(after, [...path, name], flag.field, flag.value);
    return { ...common, ...flag, how: 'flag', was };
  });
  const parsed = kind.format.parse(after);
  for (const { path, name, raw } of entries) {
    const expected = flag === null || !isRecord(raw) ? undefined : { ...raw, [flag.field]: flag.value };
    if (!isSame(valueAt(parsed, [...path, name]), expected)) throw byHand(name);
  }
  if (!isSame(without(root, entries), without(parsed, entries))) throw byHand(entries[0]?.name ?? '');
  return { text: after, switchedOff };
}

/**
 * Leaves alone what another program has put in the place of an entry.
 * @throws FormatProblem, also where an entry cannot be turned on
 */
export function switchOn(kind: ClientKind, text: string, switchedOff: readonly SwitchedOff[]): string {
  const root = kind.format.parse(text);
  const after = switchedOff.reduce((current, entry) => switchOnOne(kind, current, entry), text);
  const parsed = kind.format.parse(after);
  const still = switchedOff.find((entry) => isStillOff(parsed, entry));
  if (still !== undefined) throw byHand(still.name);
  if (isSame(without(root, switchedOff), without(parsed, switchedOff))) return after;
  throw byHand(switchedOff[0]?.name ?? '');
}

function isStillOff(root: JsonObject, entry: SwitchedOff): boolean {
  const current = valueAt(root, [...entry.path, entry.name]);
  return entry.how === 'removed' ? current === undefined : isRecord(current) && current[entry.field] === entry.value;
}

function switchOnOne(kind: ClientKind, text: string, entry: SwitchedOff): string {
  const { path, name } = entry;
  const root = kind.format.parse(text);
  const current = valueAt(root, [...path, name]);
  if (entry.how === 'removed') {
    if (current !== undefined) return text;
    const base = isRecord(valueAt(root, path)) ? text : withObject(kind, text, path);
    return kind.format.setText(base, path, name, entry.text);
  }
  const { field, value, was } = entry;
  if (!isRecord(current) || current[field] !== value) return text;
  const own = [...path, name];
  return was === null ? kind.format.removeFlag(text, own, field) : kind.format.setFlag(text, own, field, was);
}

/** The text with an empty object at a path, where it was removed by hand. */
function withObject(kind: ClientKind, text: string, path: Path): string {
  return kind.format.set(text, path.slice(0, -1), path.at(-1) ?? '', {});
}

/** A document without some entries, and without objects at their paths that have nothing else. */
function without(root: JsonObject, entries: readonly Pick<Entry, 'path' | 'name'>[]): JsonObject {
  const copy = structuredClone(root);
  for (const { path, name } of entries) {
    const map = valueAt(copy, path);
    if (isRecord(map)) delete (map as Record<string, unknown>)[name]; // the copy is ours
  }
  for (const { path } of entries) removeEmpty(copy, path);
  return copy;
}

function removeEmpty(copy: JsonObject, path: Path): void {
  const parent = valueAt(copy, path.slice(0, -1));
  const child = valueAt(copy, path);
  if (path.length === 0 || !isRecord(parent) || !isRecord(child) || Object.keys(child).length > 0) return;
  delete (parent as Record<string, unknown>)[path.at(-1) ?? ''];
}

/** Parsers make objects of different prototypes; copies have one. */
function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(structuredClone(a), structuredClone(b));
}

function byHand(name: string): FormatProblem {
  return new FormatProblem(`its entry "${name}" cannot be changed without touching others; edit the file by hand`);
}
