// Hides what is secret in a configuration file, and puts it back where somebody returns what they were shown.
import { type Issue, joinPath, type Parsed } from '../issues.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';

/** Stands for every secret. */
export const mask = '********';

/** The file with every secret masked: also those of fields that Portico does not know. */
export function maskConfig(file: JsonObject): JsonObject {
  return maskFields(file);
}

/** One entry of `mcpServers` in the same way. */
export function maskServer(server: JsonObject): JsonObject {
  return maskFields(server);
}

/** The `policy` block in the same way. */
export function maskPolicy(policy: JsonObject): JsonObject {
  return maskFields(policy);
}

/** Their keys are names that people choose, which say nothing about the values. */
const namedMaps = new Set(['mcpServers', 'profiles', 'roles', 'capabilityAliases', 'resourceAliases', 'promptAliases']);
/** Every text in them may be a secret. */
const secretMaps = new Set(['env', 'headers']);
const secretName = /(token|password|passwd|passphrase|secret|api_?key|private_?key|auth_?header|token_?sha256)$/i;

function maskFields(fields: JsonObject): JsonObject {
  return mapFields(fields, maskField);
}

function maskField(name: string, value: JsonValue): JsonValue {
  if (typeof value === 'string') return maskText(name, value);
  if (Array.isArray(value)) return name === 'args' ? maskArguments(value) : value.map((each) => maskField(name, each));
  if (!isJsonObject(value)) return value;
  if (namedMaps.has(name)) return mapFields(value, (_id, each) => maskField('', each));
  if (secretMaps.has(name)) return mapFields(value, (_name, each) => (typeof each === 'string' ? mask : each));
  return maskFields(value);
}

function maskText(name: string, text: string): string {
  if (secretName.test(name)) return mask;
  return /ur[il]$/i.test(name) ? maskUrl(text) : text;
}

/** Of an address: who logs in, and the values of its query. Works on the text, so that nothing else of it changes. */
function maskUrl(text: string): string {
  const [, scheme, login, place, query, fragment] =
    /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^?#]*)(?:\?([^#]*))?(#.*)?$/i.exec(text) ?? [];
  if (scheme === undefined) return text;
  const masked = {
    login: login === undefined ? '' : `${login.includes(':') ? `${mask}:${mask}` : mask}@`,
    query: query === undefined ? '' : `?${query.replace(/(^|[&;])([^=&;]*)=[^&;]*/g, `$1$2=${mask}`)}`,
    fragment: fragment === undefined ? '' : `#${mask}`,
  };
  return `${scheme}${masked.login}${place}${masked.query}${masked.fragment}`;
}

/** `--api-key=…`, and what follows a bare `--api-key`. */
function maskArguments(args: readonly JsonValue[]): JsonValue[] {
  return args.map((arg, index) => {
    if (typeof arg !== 'string') return arg;
    const [, flag, value] = /^(--?[\w-]+)=(.*)$/s.exec(arg) ?? [];
    if (flag !== undefined && value !== undefined) return `${flag}=${secretFlag(flag) ? mask : maskUrl(value)}`;
    const before = args[index - 1];
    const isValue = typeof before === 'string' && secretFlag(before) && !arg.startsWith('-');
    return isValue ? mask : maskUrl(arg);
  });
}

function secretFlag(arg: string): boolean {
  return /^--?[\w-]+$/.test(arg) && secretName.test(arg.replaceAll('-', '_'));
}

function mapFields(fields: JsonObject, change: (name: string, value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === undefined ? undefined : change(name, value)]),
  );
}

/**
 * What was given, with the stored secret wherever the text is what its mask looks like.
 * @param shown the stored value as it was masked
 * @param path of the value, for the issues: a mask with nothing stored behind it
 */
export function unmask(
  given: JsonValue,
  stored: JsonValue | undefined,
  shown: JsonValue | undefined,
  path: readonly (string | number)[] = [],
): Parsed<JsonValue> {
  const issues: Issue[] = [];
  const restore = (
    value: JsonValue,
    was: JsonValue | undefined,
    masked: JsonValue | undefined,
    keys: readonly (string | number)[],
  ): JsonValue => {
    if (typeof value === 'string') {
      if (!value.includes(mask)) return value;
      if (value === masked && typeof was === 'string') return was;
      issues.push({ path: joinPath(keys), message: `holds ${mask}, but nothing is stored for it; give the value` });
      return value;
    }
    if (Array.isArray(value)) {
      return value.map((each, index) => restore(each, itemOf(was, index), itemOf(masked, index), [...keys, index]));
    }
    if (!isJsonObject(value)) return value;
    return mapFields(value, (name, each) => restore(each, fieldOf(was, name), fieldOf(masked, name), [...keys, name]));
  };
  const value = restore(given, stored, shown, path);
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value };
}

function itemOf(value: JsonValue | undefined, index: number): JsonValue | undefined {
  return Array.isArray(value) ? value[index] : undefined;
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
