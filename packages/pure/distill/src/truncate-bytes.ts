// Makes a result fit a number of bytes: cuts the longest strings first, and falls back to a preview of the JSON. Never
// cuts inside a character, and says how much was removed if there is room.
import { exactJson, exactTextOf, isJsonObject, type JsonValue } from '@portico/contracts';
import { measurePrefix } from './json-bytes.js';
import { mapStrings } from './map-strings.js';

/**
 * A value whose UTF-8 JSON, as `exactJson` writes it, is at most `maxBytes` long. Strings longer than a common
 * limit are cut to it and end in `[… K more bytes]`, K counting the UTF-8 bytes cut from the text. Where that is not
 * enough, the result is a string with the beginning of the JSON; see `preview` for the smallest budgets.
 */
export function truncateBytes(value: JsonValue, maxBytes: number): JsonValue {
  const { shapeBytes, strings } = measure(value);
  const limit = findLimit(strings, maxBytes - shapeBytes);
  if (limit === undefined) return preview(typeof value === 'string' ? value : exactJson(value), maxBytes);
  return limit === Number.POSITIVE_INFINITY ? value : mapStrings(value, (text) => cutText(text, limit));
}

interface TextSize {
  readonly jsonBytes: number;
  /** Size that is left when the whole text is cut; not smaller than the text where cutting gains nothing. */
  readonly cutBytes: number;
}

interface Measured {
  /** Everything but the insides of strings. */
  readonly shapeBytes: number;
  readonly strings: readonly TextSize[];
}

function measure(root: JsonValue): Measured {
  const strings: TextSize[] = [];
  return { shapeBytes: shapeOf(root), strings };

  function memberOf(container: object, key: string | number, value: JsonValue | undefined): number {
    const text = typeof value === 'number' ? exactTextOf(container, key, value) : undefined;
    return text?.length ?? shapeOf(value);
  }

  function shapeOf(value: JsonValue | undefined): number {
    if (typeof value === 'string') {
      strings.push(sizeOf(value));
      return 2;
    }
    if (Array.isArray(value)) {
      let bytes = value.length === 0 ? 2 : 1 + value.length;
      for (const [at, item] of value.entries()) bytes += memberOf(value, at, item);
      return bytes;
    }
    if (!isJsonObject(value)) return JSON.stringify(value ?? null).length;
    let bytes = 2;
    let fields = 0;
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue; // as JSON.stringify does
      bytes += measurePrefix(key).jsonBytes + 3 + memberOf(value, key, item);
      fields += 1;
    }
    return bytes + Math.max(0, fields - 1);
  }
}

function sizeOf(text: string): TextSize {
  const { jsonBytes, textBytes } = measurePrefix(text);
  return { jsonBytes, cutBytes: Math.min(jsonBytes, markerBytes(textBytes)) };
}

/**
 * The largest number of JSON bytes that every string may keep so that all of them together fit; infinite where
 * nothing need be cut, undefined if cutting every string is not enough.
 */
function findLimit(strings: readonly TextSize[], maxBytes: number): number | undefined {
  const sizeAt = (limit: number) =>
    strings.reduce(
      (sum, { jsonBytes, cutBytes }) => sum + (jsonBytes <= limit ? jsonBytes : Math.max(limit, cutBytes)),
      0,
    );
  if (sizeAt(Number.POSITIVE_INFINITY) <= maxBytes) return Number.POSITIVE_INFINITY;
  if (sizeAt(0) > maxBytes) return undefined;
  let fits = 0;
  let tooMuch = maxBytes + 1;
  while (tooMuch - fits > 1) {
    const middle = fits + Math.floor((tooMuch - fits) / 2);
    if (sizeAt(middle) <= maxBytes) fits = middle;
    else tooMuch = middle;
  }
  return fits;
}

/** The text, or as much of it as `limit` JSON bytes leave beside the marker. A text shorter than its marker stays. */
function cutText(text: string, limit: number): string {
  if (text.length * 6 <= limit) return text; // no character takes more: spares counting the many short ones
  const whole = measurePrefix(text);
  const marker = markerBytes(whole.textBytes);
  if (whole.jsonBytes <= Math.max(limit, marker)) return text;
  const kept = measurePrefix(text, limit - marker);
  return text.slice(0, kept.length) + toMarker(whole.textBytes - kept.textBytes);
}

const toMarker = (bytes: number) => `[… ${bytes} more bytes]`;

/** Room for the marker of at most that many bytes; "…" takes three. */
const markerBytes = (bytes: number) => toMarker(bytes).length + 2;

/**
 * The beginning of a text as a string of at most `maxBytes` bytes of JSON, quotes included. With no room for
 * the marker it ends in "…"; with no room for that it is empty. One byte holds nothing but a digit: then it is 0.
 */
function preview(text: string, maxBytes: number): JsonValue {
  if (maxBytes < 2) return 0;
  const { textBytes } = measurePrefix(text);
  const room = maxBytes - 2;
  const marker = markerBytes(textBytes);
  if (room >= marker) {
    const kept = measurePrefix(text, room - marker);
    return text.slice(0, kept.length) + toMarker(textBytes - kept.textBytes);
  }
  return room < 3 ? '' : `${text.slice(0, measurePrefix(text, room - 3).length)}…`;
}
