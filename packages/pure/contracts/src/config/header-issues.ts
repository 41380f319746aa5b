// Checks configured HTTP headers for invalid names, and for values that would begin another header.
import type { Issue } from '../issues.js';

/** A token of RFC 9110, section 5.6.2. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

export function headerIssues(headers: Readonly<Record<string, string>>, pathOf: (name: string) => string): Issue[] {
  return Object.entries(headers).flatMap(([name, value]) => [
    ...(isHeaderName(name) ? [] : [{ path: pathOf(name), message: 'is not a header name' }]),
    ...(/[\r\n\0]/.test(value) ? [{ path: pathOf(name), message: 'must not hold a line break' }] : []),
  ]);
}
