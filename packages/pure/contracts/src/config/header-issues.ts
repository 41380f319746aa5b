// What is wrong with configured HTTP headers: names that are none, values that would begin another header.
import type { Issue } from '../issues.js';

const headerNamePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function headerIssues(headers: Readonly<Record<string, string>>, pathOf: (name: string) => string): Issue[] {
  return Object.entries(headers).flatMap(([name, value]) => [
    ...(headerNamePattern.test(name) ? [] : [{ path: pathOf(name), message: 'is not a header name' }]),
    ...(/[\r\n\0]/.test(value) ? [{ path: pathOf(name), message: 'must not hold a line break' }] : []),
  ]);
}
