// The common interface of the file formats of AI clients: parse a document, and set or remove one entry in its text
// while the rest stays unchanged.
import type { JsonObject } from '@portico/contracts';

/** Keys from the root of a document to one of its objects. */
export type Path = readonly string[];

/** A text cannot be read, or not be edited without touching more than the entry. Shows nothing of the text. */
export class FormatProblem extends Error {}

export interface FileFormat {
  /** The document; an empty text is an empty document. @throws FormatProblem */
  parse(text: string): JsonObject;
  /** Sets an entry of the object at a path, which is made where it is missing. @throws FormatProblem */
  set(text: string, path: Path, name: string, value: JsonObject): string;
  /**
   * Removes an entry of the object at a path.
   * @param before the text before the entry was set, where it is known: what setting it has made goes too
   * @throws FormatProblem
   */
  remove(text: string, path: Path, name: string, before?: string): string;
  /** Sets a field of an entry to true or false. @param entry keys down to the entry. @throws FormatProblem */
  setFlag(text: string, entry: Path, field: string, value: boolean): string;
  /** Removes a field that `setFlag` has added: the exact opposite. @throws FormatProblem */
  removeFlag(text: string, entry: Path, field: string): string;
  /** The value of an entry as it is written; undefined if there is none. @throws FormatProblem */
  textOf(text: string, path: Path, name: string): string | undefined;
  /** Adds an entry whose value is written like that. @throws FormatProblem */
  setText(text: string, path: Path, name: string, value: string): string;
  /** The line in which an entry begins, from 1. @throws FormatProblem */
  lineOf(text: string, path: Path, name: string): number;
}

/** The value at a path; undefined if there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
