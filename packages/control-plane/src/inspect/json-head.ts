// The beginning of a JSON text as JSON of its own, so that what is cut can be redacted like what is whole.

/** In place of a text that does not fit. */
const cutText = '"[cut]"';

/**
 * The longest beginning of a JSON text of which every value is whole, with its lists and objects closed: a text that the
 * limit falls into is replaced, any other value that is not whole is left out. The text itself where it is short enough;
 * undefined if nothing of it is whole.
 * @param limit characters, before lists and objects are closed
 */
export function headOfJson(text: string, limit: number): string | undefined {
  if (text.length <= limit) return text;
  const closers: string[] = [];
  /** Behind the last value that is whole. */
  let end = -1;
  let at = 0;
  while (at < limit) {
    const character = text[at];
    if (character === '"') {
      const after = afterText(text, at, limit);
      if (after === undefined) return closed(text, end, at, closers);
      at = after;
      continue;
    }
    if (character === '{' || character === '[') closers.push(character === '{' ? '}' : ']');
    else if (character === '}' || character === ']') closers.pop();
    if ('{[}]'.includes(character ?? ' ')) end = at + 1;
    else if (character === ',') end = at;
    at += 1;
  }
  return end < 0 ? undefined : text.slice(0, end) + closers.toReversed().join('');
}

/** The place behind a text that begins at `from`; undefined if the limit comes first. */
function afterText(text: string, from: number, limit: number): number | undefined {
  for (let at = from + 1; at < limit; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return undefined;
}

/** @param from where the text begins that the limit falls into: a value, an item, or the name of a member */
function closed(text: string, end: number, from: number, closers: readonly string[]): string | undefined {
  const rest = closers.toReversed().join('');
  const isItem = closers.at(-1) === ']';
  if (isItem || text.slice(Math.max(0, end), from).trimEnd().endsWith(':')) return text.slice(0, from) + cutText + rest;
  return end < 0 ? undefined : text.slice(0, end) + rest;
}
