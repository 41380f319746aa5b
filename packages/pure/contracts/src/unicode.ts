// Text that is valid Unicode: half of a surrogate pair has no canonical form, which digests need.
import { type Issue, joinPath } from './issues.js';
import { isJsonObject } from './json.js';

export const notUnicode = 'is not valid Unicode text';

export function isUnicode(text: string): boolean {
  return !/[\uD800-\uDFFF]/u.test(text);
}

/** An issue for each text and name in a JSON value that is no valid Unicode. */
export function unicodeIssues(value: unknown, keys: readonly (string | number)[]): Issue[] {
  if (typeof value === 'string') return isUnicode(value) ? [] : [{ path: joinPath(keys), message: notUnicode }];
  if (Array.isArray(value)) return value.flatMap((each, index) => unicodeIssues(each, [...keys, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    isUnicode(name) ? unicodeIssues(each, [...keys, name]) : [{ path: joinPath([...keys, name]), message: notUnicode }],
  );
}
