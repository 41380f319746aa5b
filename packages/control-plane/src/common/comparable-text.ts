// One text for equal JSON values, for comparing and naming within this process. Unlike the canonical form it is there for
// every value: JSON from outside may hold half a surrogate pair, which has none.
import { canonicalize } from '@portico/canonical-json';

/** The canonical form, else the JSON as it is. Never throws for what JSON.parse gave. */
export function comparableText(value: unknown): string {
  try {
    return canonicalize(value);
  } catch {
    return JSON.stringify(value);
  }
}
