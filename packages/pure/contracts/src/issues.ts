// Validation problems as values: where, and what is wrong there. Throwing is left to the edges.
import * as v from 'valibot';

export interface Issue {
  /** Path of the field, such as `mcpServers.git.args[1]`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Checks a value against a schema and reports every problem with its path. */
export function parseWith<S extends v.GenericSchema>(schema: S, value: unknown): Parsed<v.InferOutput<S>> {
  const result = v.safeParse(schema, value);
  if (result.success) return { ok: true, value: result.output };
  return { ok: false, issues: result.issues.flatMap(toIssues) };
}

/** `port: expected …` lines, one a problem, as one text. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

/** A path to a field as issues show it: `servers.files.args[0]`. */
export function joinPath(keys: readonly (string | number)[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    if (/^[A-Za-z_$][\w$-]*$/.test(key)) return path === '' ? key : `${path}.${key}`;
    return `${path}[${JSON.stringify(key)}]`;
  }, '');
}

function toIssues(issue: v.BaseIssue<unknown>): Issue[] {
  const keys = (issue.path ?? []).map((item) => (typeof item.key === 'number' ? item.key : String(item.key)));
  return [{ path: joinPath(keys), message: messageOf(issue) }];
}

/** Values are shown only where they cannot be a secret: out-of-range numbers and wrong words of a fixed list. */
function messageOf(issue: v.BaseIssue<unknown>): string {
  if (!issue.message.startsWith('Invalid ')) return issue.message;
  if (issue.received === 'undefined') return 'is required';
  if (issue.message.startsWith('Invalid length'))
    return `expected a length of ${issue.expected}, got ${issue.received}`;
  const expected = issue.expected ?? issue.type;
  const mayShow = issue.kind === 'validation' ? typeof issue.input === 'number' : expected.includes('"');
  return `expected ${expected}, got ${mayShow ? issue.received : typeName(issue.input)}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
