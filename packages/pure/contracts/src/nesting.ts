// How deep JSON from outside may nest. Both edges hold it, so that nothing inside can run out of stack.

/** Levels of arrays and objects that a message from a client or an upstream may have. */
export const maxNesting = 256;

const quote = 0x22;
const backslash = 0x5c;

/** Whether brackets outside of strings nest deeper than a limit, found without building anything. */
export function nestsDeeperThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === quote) i = endOfString(text, i + 1);
    else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  return false;
}

const shortString = 32;

/** Where the quote is that ends a string; the length of the text where none does. */
function endOfString(text: string, start: number): number {
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
