// How deep JSON from outside may nest. Both edges hold it, so that nothing inside can run out of stack.
import { endOfString } from './string-end.js';

/** Levels of arrays and objects that a message from a client or an upstream may have. */
export const maxNesting = 256;

const quote = 0x22;

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
