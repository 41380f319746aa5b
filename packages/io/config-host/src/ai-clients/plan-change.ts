// Plans how attaching and detaching change a client's file: texts in, texts out. Never takes another program's entry.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@portico/contracts';
import type { ClientKind, ServeCommand } from './client.js';
import { commandLineOf, isOwnEntry, optionOf, ownName } from './definitions/own-entry.js';
import { entryOf } from './find-servers.js';
import { FormatProblem, isRecord, valueAt } from './formats/file-format.js';

/** The text of the file; null for no file. */
export type FileText = string | null;

/** Whether Portico is attached by the text of a file. @throws FormatProblem */
export function isAttached(kind: ClientKind, text: FileText): boolean {
  return text !== null && isOwnEntry(entryOf(kind, kind.format.parse(text)));
}

/**
 * Why the client does not run Portico with the configuration and the state directory of a command; null if it does.
 * @throws FormatProblem
 */
export function whyNotAttached(kind: ClientKind, text: FileText, serve: ServeCommand): string | null {
  const root = kind.format.parse(text ?? '');
  const entry = entryOf(kind, root);
  if (!isOwnEntry(entry) || !isRecord(entry)) return 'is not attached to Portico';
  const flag = kind.offFlag(root);
  const isOff =
    entry.disabled === true || entry.enabled === false || (flag !== null && entry[flag.field] === flag.value);
  if (isOff) return `has its entry "${ownName}" turned off`;
  const line = commandLineOf(entry);
  const other = ['--config', '--state-dir'].find((option) => optionOf(line, option) !== optionOf(serve.args, option));
  return other === undefined ? null : `is attached to another Portico, with another ${other}`;
}

/** The same text where Portico is attached by this command already. @throws FormatProblem */
export function planAttach(kind: ClientKind, before: FileText, command: ServeCommand): FileText {
  const root = kind.format.parse(before ?? '');
  const entry = kind.toEntry(command, root);
  const current = entryOf(kind, root);
  if (isSame(current, entry)) return before;
  if (current !== undefined && !isOwnEntry(current)) {
    throw new FormatProblem(`it has a server "${ownName}" that is not Portico; rename that one first`);
  }
  return setEntry(kind, before ?? '', entry);
}

/**
 * The same text where Portico is not attached, null if attaching has made the whole file.
 * @param backups the file before earlier changes, the newest first; the first that attaching makes into the text is given
 *   back byte for byte
 * @throws FormatProblem
 */
export function planDetach(kind: ClientKind, text: FileText, backups: readonly FileText[]): FileText {
  if (text === null) return null;
  const root = kind.format.parse(text);
  const entry = entryOf(kind, root);
  if (!isOwnEntry(entry) || !isRecord(entry)) return text;
  const copies = backups.filter((copy) => copy !== null);
  const before = copies.find((copy) => attaches(kind, copy, entry, text));
  if (before !== undefined) return before;
  if (attaches(kind, '', entry, text)) return null;
  const known = copies.find((copy) => isReadable(kind, copy));
  const after = kind.format.remove(text, kind.home(root), ownName, known);
  if (entryOf(kind, kind.format.parse(after)) !== undefined || !keepsOthers(kind, root, after)) throw byHand();
  return after;
}

function attaches(kind: ClientKind, before: string, entry: JsonObject, after: string): boolean {
  try {
    return isReadable(kind, before) && setEntry(kind, before, entry) === after;
  } catch (error) {
    if (error instanceof FormatProblem) return false;
    throw error;
  }
}

function isReadable(kind: ClientKind, text: string): boolean {
  try {
    return entryOf(kind, kind.format.parse(text)) === undefined;
  } catch (error) {
    if (error instanceof FormatProblem) return false;
    throw error;
  }
}

/** Reads what it wrote: an edit that does more or less than setting the entry is never handed out. */
function setEntry(kind: ClientKind, before: string, entry: JsonObject): string {
  const root = kind.format.parse(before);
  const after = kind.format.set(before, kind.home(root), ownName, entry);
  if (!isSame(entryOf(kind, kind.format.parse(after)), entry)) throw byHand();
  if (!keepsOthers(kind, root, after)) throw byHand();
  return after;
}

/** Whether a text says what a document says, but for Portico's entry and the objects around it. */
function keepsOthers(kind: ClientKind, root: JsonObject, after: string): boolean {
  const parsed = kind.format.parse(after);
  return isSame(withoutEntry(kind, root), withoutEntry(kind, parsed));
}

function withoutEntry(kind: ClientKind, root: JsonObject): JsonObject {
  const copy = structuredClone(root);
  const path = kind.home(root);
  const map = valueAt(copy, path);
  if (isRecord(map)) delete (map as Record<string, unknown>)[ownName]; // the copy is ours
  for (let depth = path.length; depth > 0; depth--) {
    const parent = valueAt(copy, path.slice(0, depth - 1));
    const key = path[depth - 1] ?? '';
    const child = valueAt(parent, [key]);
    if (isRecord(parent) && isRecord(child) && Object.keys(child).length === 0) {
      delete (parent as Record<string, unknown>)[key];
    }
  }
  return copy;
}

/** Parsers make objects of different prototypes; copies have one. */
function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(structuredClone(a), structuredClone(b));
}

function byHand(): FormatProblem {
  return new FormatProblem(`its entry "${ownName}" cannot be changed without touching others; edit the file by hand`);
}
