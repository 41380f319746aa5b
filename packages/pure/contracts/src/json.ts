// JSON values as they cross a boundary, how deep their texts may nest, and how much of a value there is.
// Objects pass through by reference: nothing here copies or drops keys.
import * as v from 'valibot';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Whether a value is a JSON object: neither null nor an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Any JSON object, kept as it is. `v.record` would copy it and silently drop keys such as `constructor`,
 * which a tool may well have among its arguments.
 */
export const jsonObjectSchema = v.custom<JsonObject>(isJsonObject, 'expected an object');

/** Levels of arrays and objects that a message from a client or an upstream may have. */
export const maxNesting = 256;

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;
const space = 0x20;
const tab = 0x09;

/** A longer rest of a string is looked through by the engine. */
const shortString = 32;

/**
 * Whether a JSON text may be passed on in place of its value: it is one line, and no object in it has a key twice, of which
 * its reader might take another one than was looked at here. Digits, escapes and the order of members are free.
 * @param value of the text, as `parseJson` gives it
 */
export function standsFor(text: string, value: JsonValue): boolean {
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === quote) i = endOfString(text, i + 1);
    else if (unit === colon) members += 1;
    else if (unit < space && unit !== tab) return false;
  }
  return members === membersIn(value);
}

/** Counts the members of all objects in a value, which is nested no deeper than the bounds allow. */
function membersIn(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') members += membersIn(item);
    return members;
  }
  const object = value as JsonObject; // it is no array
  for (const key in object) {
    const member = object[key];
    members += 1;
    if (typeof member === 'object') members += membersIn(member);
  }
  return members;
}

/**
 * Where a string in a JSON text ends: a quote that no backslash escapes. Linear, and without a copy.
 * @param start behind the quote that begins the string. Returns the length of the text where no quote ends it.
 */
export function endOfString(text: string, start: number): number {
  for (let i = start; i < text.length; ) {
    for (const far = Math.min(i + shortString, text.length); i < far; i++) {
      const unit = text.charCodeAt(i);
      if (unit === quote) return i;
      if (unit === backslash) i += 1;
    }
    // Large texts mostly consist of long strings, and the engine searches them many times faster than a loop does.
    const next = text.indexOf('"', i);
    if (next === -1) break;
    if (!isEscaped(text, next, start)) return next;
    i = next + 1;
  }
  return text.length;
}

function isEscaped(text: string, at: number, start: number): boolean {
  let first = at;
  while (first > start && text.charCodeAt(first - 1) === backslash) first -= 1;
  return (at - first) % 2 === 1;
}

/**
 * The size of values, roughly the length of their JSON: characters of strings and keys plus one for every value. A
 * result above `max` is inexact; the walk stops there.
 */
export function sizeUpTo(values: readonly JsonValue[], max: number): number {
  const pending: (JsonValue | undefined)[] = [...values];
  let size = 0;
  while (pending.length > 0 && size <= max) {
    const value = pending.pop();
    size += typeof value === 'string' ? value.length + 1 : 1;
    if (Array.isArray(value)) {
      if (size + value.length > max) return size + value.length;
      for (const item of value) pending.push(item);
    } else if (isJsonObject(value)) {
      for (const key of Object.keys(value)) {
        size += key.length;
        pending.push(value[key]);
      }
    }
  }
  return size;
}

/** Results have their long strings near the top. */
const maxLooks = 64;

/** Whether one of the first members of a value, at any level, is a string of more characters than that. */
export function hasStringOver(value: object, length: number): boolean {
  const open: object[] = [value];
  let looks = 0;
  for (let at = 0; at < open.length; at += 1) {
    const around = open[at] as object; // `at` is one of them
    for (const member of Array.isArray(around) ? around : Object.values(around)) {
      looks += 1;
      if (typeof member === 'string' && member.length > length) return true;
      if (looks >= maxLooks) return false;
      if (typeof member === 'object' && member !== null) open.push(member);
    }
  }
  return false;
}
