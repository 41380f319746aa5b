// Finds the end of a string in a JSON text: a quote that no backslash escapes. Linear, and without a copy.

const quote = 0x22;
const backslash = 0x5c;
const shortString = 32;

/** @param start behind the quote that begins the string. Returns the length of the text where no quote ends it. */
export function endOfString(text: string, start: number): number {
  for (let i = start; i < text.length; ) {
    for (const far = Math.min(i + shortString, text.length); i < far; i++) {
      const unit = text.charCodeAt(i);
      if (unit === quote) return i;
      if (unit === backslash) i += 1;
    }
    // What makes a text large is long strings, and the engine looks through them many times faster than a loop does.
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
