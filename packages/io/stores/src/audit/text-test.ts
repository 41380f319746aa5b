// Keeps most lines from being parsed that do not hold the text that is looked for.
import type { AuditFilter } from '@portico/audit-chain';

/** Whether a text stands in a line as it stands in the value: canonical JSON escapes quotes, backslashes and control characters. */
export function isPlain(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return !/["\\\u0000-\u001f]/.test(text);
}

/** Whether a line may hold what a filter looks for. */
export function textTestOf({ q }: AuditFilter): (line: string) => boolean {
  if (q === undefined || !isPlain(q)) return () => true;
  const lowerCased = q.toLowerCase();
  return (line) => line.toLowerCase().includes(lowerCased);
}
