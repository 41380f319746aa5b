// Whether a text is the canonical form of what it says. For texts that are, which is nearly all that are asked about,
// the engine's own serialiser decides; canonicalize has the last word, and no other rule stands here.
import { canonicalize } from './canonicalize.js';

/** `value` is what `text` says, as `parseJson` of @portico/contracts reads it. Never throws: what has no canonical form is not in it. */
export function isCanonical(text: string, value: unknown): boolean {
  try {
    return isPlainlyCanonical(text, value) || canonicalize(value) === text;
  } catch {
    return false; // half a surrogate pair, or nested deeper than any stack bears
  }
}

/** Levels that are looked at; what nests deeper is not plain. */
const maxDepth = 100;

/**
 * JSON.stringify escapes and writes numbers as RFC 8785 wants it; what it does not do is to sort names and to refuse
 * half a surrogate pair, which it would escape.
 */
function isPlainlyCanonical(text: string, value: unknown): boolean {
  return JSON.stringify(value) === text && !text.includes('\\ud') && isSorted(value, 0);
}

function isSorted(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isSorted(item, depth + 1));
  let before: string | undefined;
  for (const [name, member] of Object.entries(value)) {
    if (before !== undefined && before >= name) return false;
    if (!isSorted(member, depth + 1)) return false;
    before = name;
  }
  return true;
}
