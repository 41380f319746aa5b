// JSON that a person types.
import { exactJsonLines, type JsonValue, parseExact, writeExact } from '@portico/contracts';

/** The value of a text, or why it has none. */
export type ParsedText =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

/** Its numbers keep their texts. */
export function parseJsonText(text: string): ParsedText {
  try {
    return { ok: true, value: parseExact(text) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** As `parseJsonText`, for what has to be an object. */
export function parseJsonObject(text: string): ParsedText {
  const parsed = parseJsonText(text.trim() === '' ? '{}' : text);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? parsed : { ok: false, message: 'expected a JSON object, such as {"name": "value"}' };
}

/** Whether an edit makes other JSON: every digit of a number counts; spaces and escapes do not. */
export function isEdited(before: JsonValue, after: JsonValue): boolean {
  return writeExact(after) !== writeExact(before);
}

/** Formats a JSON text on several lines. Returns a text that is not JSON unchanged. */
export function linesOf(text: string): string {
  const parsed = parseJsonText(text);
  return parsed.ok ? (exactJsonLines(parsed.value) ?? text) : text;
}
