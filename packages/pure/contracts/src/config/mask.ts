// Hides what is secret in a configuration file, and puts it back where a client returns the masked file.

import { nestsDeeperThan } from '../bounds.js';
import { type Issue, joinPath, type Parsed } from '../issues.js';
import { isJsonObject, type JsonObject, type JsonValue, maxNesting } from '../json.js';
import { parseJson } from '../parse-json.js';

/** Replaces every secret. */
export const mask = '********';

/** A configuration file, or any block of one, with every secret masked: also those of fields that Portico does not know. */
export function maskSecrets(fields: JsonObject): JsonObject {
  return mapFields(fields, maskField);
}

/** Their keys are names that people choose, which say nothing about the values. */
const namedMaps = new Set(['mcpServers', 'profiles', 'roles', 'capabilityAliases', 'resourceAliases', 'promptAliases']);
/** Every text in them may be a secret. */
const secretMaps = new Set(['env', 'headers']);
const secretEnding =
  /(tokens?|password|passwd|passphrase|pwd|secrets?|key|auth|auth_?header|authorization|bearer|cookie|credentials?|dsn|connection_?string|token_?sha256|(^|_)(pat|jwt|creds?|sas))$/i;
const secretPart = /token|secret|passw|passphrase|credential|private_?key|api_?key/i;
/** Names of variables and addresses, and counts. */
const plainName = /^max|(env|ur[il]|endpoint)$/i;
/** Blocks of our own whose fields speak for themselves. */
const knownBlocks = new Set(['auth', 'tokens']);
const addressName = /(ur[il]|endpoint)$/i;

function maskField(name: string, value: JsonValue): JsonValue {
  if (typeof value === 'string') return maskText(name, value);
  if (Array.isArray(value)) return name === 'args' ? maskArguments(value) : value.map((each) => maskField(name, each));
  if (!isJsonObject(value)) return typeof value === 'number' && isSecretName(name) ? mask : value;
  if (namedMaps.has(name)) return mapFields(value, (_id, each) => maskField('', each));
  const isSecret = secretMaps.has(name) || (isSecretName(name) && !knownBlocks.has(name));
  return isSecret ? maskAll(value) : maskSecrets(value);
}

function maskAll(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(maskAll);
  if (isJsonObject(value)) return mapFields(value, (_name, each) => maskAll(each));
  return typeof value === 'string' || typeof value === 'number' ? mask : value;
}

function maskText(name: string, text: string): string {
  if (isSecretName(name)) return mask;
  return addressName.test(name) ? maskAddress(text) : text;
}

/**
 * A text that is no plain address here may be one to the program that uses it: with a login or a query it is masked as
 * a whole.
 */
function maskAddress(text: string): string {
  const masked = maskUrl(text);
  return masked === text && /[@?]/.test(text.replaceAll(mask, '')) && !isUrl(text) ? mask : masked;
}

const urlPattern = /^(\s*[a-z][a-z0-9+.-]*:\/\/)(?:([^/?#\\]*)@)?([^?#]*)(?:\?([^#]*))?(#.*)?$/is;

function isUrl(text: string): boolean {
  return urlPattern.test(text);
}

/** Masks the user of an address, and the values of its query. Works on the text, so that nothing else of it changes. */
function maskUrl(text: string): string {
  const [, scheme, login, place, query, fragment] = urlPattern.exec(text) ?? [];
  if (scheme === undefined) return text;
  const masked = {
    login: login === undefined ? '' : `${login.includes(':') ? `${mask}:${mask}` : mask}@`,
    query: query === undefined ? '' : `?${query.replace(/[^&;]+/g, maskParameter)}`,
    fragment: fragment === undefined ? '' : `#${mask}`,
  };
  return `${scheme}${masked.login}${place}${masked.query}${masked.fragment}`;
}

function maskParameter(parameter: string): string {
  const [, name = ''] = /^([^=]*=)/.exec(parameter) ?? [];
  return `${name}${mask}`;
}

/** `--api-key=…`, what follows a bare `--api-key`, `TOKEN=…`, and the values of `--env` and `--header`. */
function maskArguments(args: readonly JsonValue[]): JsonValue[] {
  return args.map((arg, index) => {
    if (typeof arg !== 'string') return arg;
    const before = args[index - 1];
    return maskArgument(arg, typeof before === 'string' && isFlag(before) ? before : '');
  });
}

function maskArgument(arg: string, flagBefore: string): string {
  const [, flag, value] = /^(--?[\w.-]+)=(.*)$/s.exec(arg) ?? [];
  if (flag !== undefined && value !== undefined) return `${flag}=${maskOption(flag, value)}`;
  const isValue = !isFlag(arg) || (isSecretName(flagBefore) && !arg.startsWith('--'));
  return isValue ? maskOption(flagBefore, arg) : arg;
}

/** The value of a flag, or an argument by itself where the flag is empty. */
function maskOption(flag: string, value: string): string {
  if (isSecretName(flag)) return mask;
  const [, name, sign] = /^([\w.-]+)(=|:\s*)/.exec(value) ?? [];
  const isGiven = sign !== undefined && (/^(-e|-H|--env|--headers?)$/.test(flag) || isSecretName(name));
  return isGiven ? `${name}${sign}${mask}` : maskUrl(maskJson(value));
}

/** Some programs take their settings as one argument. */
function maskJson(text: string): string {
  if (!/^\s*\{/.test(text) || nestsDeeperThan(text, maxNesting)) return text;
  try {
    const fields: unknown = parseJson(text);
    const masked = isJsonObject(fields) ? JSON.stringify(maskSecrets(fields)) : text;
    return masked.includes(mask) ? masked : text;
  } catch {
    return text;
  }
}

function isFlag(arg: string): boolean {
  return /^--?[A-Za-z][\w.-]*$/.test(arg);
}

/** Whether what is kept under a name is a secret, by the words in the name. */
export function isSecretName(name = ''): boolean {
  const plain = name.replaceAll('-', '_');
  return !plainName.test(plain) && (secretEnding.test(plain) || secretPart.test(plain));
}

function mapFields(fields: JsonObject, change: (name: string, value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === undefined ? undefined : change(name, value)]),
  );
}

/**
 * The given value, with the stored secret in place of every mask.
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
      if (value === masked && was !== undefined) return was;
      issues.push({ path: joinPath(keys), message: `holds ${mask}, but nothing is stored for it; give the value` });
      return value;
    }
    if (Array.isArray(value)) {
      return value.map((each, index) => {
        const place = placeOf(value, index, masked);
        return restore(each, itemOf(was, place), itemOf(masked, place), [...keys, index]);
      });
    }
    if (!isJsonObject(value)) return value;
    return mapFields(value, (name, each) => restore(each, fieldOf(was, name), fieldOf(masked, name), [...keys, name]));
  };
  const value = restore(given, stored, shown, path);
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value };
}

/** Where an item was shown. A text belongs to the one before it, as `********` does to `--token`, wherever they are now. */
function placeOf(given: readonly JsonValue[], index: number, shown: JsonValue | undefined): number {
  const value = given[index];
  if (typeof value !== 'string' || !Array.isArray(shown)) return index;
  const isThere = (place: number) => shown[place] === value && textAt(shown, place - 1) === textAt(given, index - 1);
  return isThere(index) ? index : shown.findIndex((_item, place) => isThere(place));
}

function textAt(list: readonly unknown[], place: number): string | undefined {
  const item = list[place];
  return typeof item === 'string' ? item : undefined;
}

function itemOf(value: JsonValue | undefined, index: number): JsonValue | undefined {
  return Array.isArray(value) ? value[index] : undefined;
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
