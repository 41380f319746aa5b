// How deep JSON from outside may nest. Both edges hold it, so that nothing inside can run out of stack.

/** Levels of arrays and objects that a message from a client or an upstream may have. */
export const maxNesting = 256;

/** Whether brackets outside of strings nest deeper than a limit, found without building anything. */
export function nestsDeeperThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (inString) {
      if (unit === 0x5c) i += 1;
      else if (unit === 0x22) inString = false;
    } else if (unit === 0x22) inString = true;
    else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (unit === 0x5d || unit === 0x7d) depth -= 1;
  }
  return false;
}
