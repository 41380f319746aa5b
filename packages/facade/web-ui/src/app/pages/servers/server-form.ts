// Between the definition of a server and the fields of its form. Members without a field stay in `more`, as JSON.
import { type JsonObject, type JsonValue, parseJson } from '@portico/contracts';

export interface ServerForm {
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  readonly command: string;
  /** One in a line. */
  readonly args: string;
  /** `NAME=value` in each line. */
  readonly env: string;
  readonly url: string;
  /** `Name: value` in each line. */
  readonly headers: string;
  /** The rest of the definition; empty for none. */
  readonly more: string;
}

export type ServerFormErrors = Partial<Record<keyof ServerForm, string>>;

export type ReadForm =
  | { readonly ok: true; readonly name: string; readonly server: JsonObject }
  | { readonly ok: false; readonly errors: ServerFormErrors };

export const emptyForm: ServerForm = {
  name: '',
  transport: 'stdio',
  command: '',
  args: '',
  env: '',
  url: '',
  headers: '',
  more: '',
};

export function toForm(name: string, { command, args, env, url, headers, ...rest }: JsonObject): ServerForm {
  const more: Record<string, JsonValue> = {};
  for (const [field, value] of Object.entries(rest)) if (value !== null && value !== undefined) more[field] = value;
  const listed = Array.isArray(args) && args.every(isLine) ? args.map(String) : [];
  if (listed.length === 0 && Array.isArray(args) && args.length > 0) more.args = args;
  const pairs = (value: JsonValue | undefined, separator: string, field: string) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
    const entries = Object.entries(value);
    if (entries.every(([key, each]) => isLine(each) && !key.includes(separator.trim())))
      return entries.map(([key, each]) => `${key}${separator}${each}`).join('\n');
    more[field] = value;
    return '';
  };
  return {
    name,
    transport: typeof url === 'string' ? 'http' : 'stdio',
    command: typeof command === 'string' ? command : '',
    args: listed.join('\n'),
    env: pairs(env, '=', 'env'),
    url: typeof url === 'string' ? url : '',
    headers: pairs(headers, ': ', 'headers'),
    more: Object.keys(more).length === 0 ? '' : JSON.stringify(more, null, 2),
  };
}

/** Says what is wrong beside each field. The service has the last word. */
export function readForm(form: ServerForm): ReadForm {
  const errors: Record<string, string> = {};
  const name = form.name.trim();
  if (name === '') errors.name = 'Give the server a name.';
  const isStdio = form.transport === 'stdio';
  if (isStdio && form.command.trim() === '') errors.command = 'Name the program to start.';
  if (!isStdio && form.url.trim() === '') errors.url = 'Give the address of the server.';
  const env = isStdio ? readPairs(form.env, '=', errors, 'env') : {};
  const headers = isStdio ? {} : readPairs(form.headers, ':', errors, 'headers');
  const more = readMore(form.more, errors);
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  const args = form.args.split('\n').filter((line) => line !== '');
  const own: JsonObject = isStdio
    ? { command: form.command.trim(), ...(args.length === 0 ? {} : { args }), ...present('env', env) }
    : { url: form.url.trim(), ...present('headers', headers) };
  return { ok: true, name, server: { ...more, ...own } };
}

function present(field: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [field]: value };
}

function readPairs(text: string, separator: string, errors: Record<string, string>, field: string): JsonObject {
  const pairs: Record<string, string> = {};
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const cut = line.indexOf(separator);
    if (cut < 1) errors[field] ??= `Line ${at + 1} has no "${separator}" between name and value.`;
    else pairs[line.slice(0, cut).trim()] = separator === ':' ? line.slice(cut + 1).trim() : line.slice(cut + 1);
  }
  return pairs;
}

function readMore(text: string, errors: Record<string, string>): JsonObject {
  if (text.trim() === '') return {};
  try {
    const value: unknown = parseJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject; // from JSON
    errors.more = 'This must be a JSON object.';
  } catch (error) {
    errors.more = `This is not valid JSON: ${error instanceof Error ? error.message : error}`;
  }
  return {};
}

function isLine(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !/[\r\n]/.test(value);
}
