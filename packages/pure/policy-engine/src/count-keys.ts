// Counts keys in a JSON text and in the value it parses to: fewer in the value means that some were written twice,
// and that a parser which keeps the last one does not see what the text holds.
import { isJsonObject, type JsonValue, parseJson } from '@portico/contracts';

/** Keys at all levels. Keeps its own stack, for values of any depth. */
export function countKeys(value: JsonValue): number {
  const open: (JsonValue | undefined)[] = [value];
  let count = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (Array.isArray(next)) {
      for (const item of next) open.push(item);
    } else if (isJsonObject(next)) {
      for (const item of Object.values(next)) {
        count += 1;
        open.push(item);
      }
    }
  }
  return count;
}

/** Strings before a colon. The text must be JSON. */
export function countKeysInJson(json: string): number {
  let count = 0;
  let quote = json.indexOf('"');
  while (quote !== -1) {
    let end = quote + 1;
    while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
    end += 1;
    while (end < json.length && ' \t\n\r'.includes(json.charAt(end))) end += 1;
    if (json[end] === ':') count += 1;
    quote = json.indexOf('"', end);
  }
  return count;
}

/** Whether a text is JSON in which a key occurs twice in one object. */
export function hasHiddenKeys(text: string): boolean {
  const json = text.trim();
  try {
    return countKeys(parseJson(json)) !== countKeysInJson(json);
  } catch {
    return false; // plain text hides no key
  }
}
