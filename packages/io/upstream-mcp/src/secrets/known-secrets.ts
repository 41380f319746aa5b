// Keeps secrets that were looked up from being shown again by those who got them: a child that prints its environment,
// a server that repeats a header in an error. Knows values, where the redaction by policy knows names of keys.
import { exactTextOf, type JsonObject, type JsonValue, keepExact, type SecretValues } from '@portico/contracts';

export interface KnownSecrets extends SecretValues {
  /**
   * Secrets that `owner` uses from now on. Earlier ones stay known, since processes that got them may still be running.
   */
  learn(owner: string, values: readonly string[]): void;
  /** The text with every known secret replaced. */
  mask(text: string): string;
  /** The same for every text in a value. It gives back the same object where nothing is to be replaced. */
  maskJson(value: JsonValue): JsonValue;
}

const shown = '[REDACTED]';
/** Characters with a special meaning in a regular expression. */
const special = /[\\^$.*+?()[\]{}|]/g;

/** Shorter values are words of everyday, and replacing them would garble every message. */
const minLength = 6;

/** Creates the list of secrets that must not appear in logs and messages; texts are masked with it. */
export function createKnownSecrets(): KnownSecrets {
  const owners = new Map<string, { readonly now: readonly string[]; readonly before: readonly string[] }>();
  let needles: readonly string[] = [];
  /** All of them in one pass; the longest first, so that no secret hides a part of a longer one. */
  let pattern: RegExp | undefined;

  const maskText = (text: string): string => (pattern === undefined ? text : text.replace(pattern, shown));
  const mask = (text: string): string => {
    if (needles.length === 0) return text;
    return withoutCutSecret(maskText(text), needles);
  };
  const maskJson = (value: JsonValue): JsonValue => {
    if (needles.length === 0) return value;
    const [masked = null] = maskIn([value], mask) as readonly JsonValue[]; // in a list, since it may be a number
    return masked;
  };
  const known = {
    isEmpty: true,
    maskText,
    maskObject: (object: JsonObject) => maskIn(object, maskText) as JsonObject, // an object stays one
    mask,
    maskJson,
    learn(owner: string, values: readonly string[]) {
      const now = [...new Set(values.flatMap(spellingsOf))];
      const last = owners.get(owner);
      if (last === undefined && now.length === 0) return;
      const isSame = last !== undefined && last.now.join('\0') === now.join('\0');
      if (isSame) return;
      owners.set(owner, { now, before: last?.now ?? [] });
      const all = [...owners.values()].flatMap((known) => [...known.now, ...known.before]);
      needles = [...new Set(all)].sort((a, b) => b.length - a.length);
      known.isEmpty = needles.length === 0;
      const alternatives = needles.map((needle) => needle.replace(special, '\\$&'));
      pattern = known.isEmpty ? undefined : new RegExp(alternatives.join('|'), 'g');
    },
  };
  return known;
}

/** The same value where no text in it is another afterwards. */
function maskIn(value: JsonValue, maskText: (text: string) => string): JsonValue {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null) return value;
  let isChanged = false;
  const note = <T>(before: T, after: T): T => {
    isChanged ||= !Object.is(before, after);
    return after;
  };
  const shownIn = (key: string | number, item: JsonValue): JsonValue => {
    if (typeof item !== 'number') return maskIn(item, maskText);
    const text = exactTextOf(value, key, item) ?? String(item); // a secret of digits may be sent as a number
    return maskText(text) === text ? item : shown;
  };
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue, at) => note(item, shownIn(at, item)));
    return isChanged ? keepExact(value, items) : value;
  }
  const entries = Object.entries(value).map(
    ([key, item]) => [note(key, maskText(key)), item === undefined ? item : note(item, shownIn(key, item))] as const,
  );
  return isChanged ? keepExact(value, Object.fromEntries(entries)) : value;
}

/** Half a surrogate pair is nothing that a URL can hold. */
const toUriComponent = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));

/** Without padding, which may be there or not. */
const toBase64 = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/, '');

/** A value as it is, line by line, as JSON and URLs write it, and in base64. */
function spellingsOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/);
  const plain = [value, ...(lines.length === 1 ? [] : lines)];
  const escaped = plain.flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    toUriComponent(text),
    toUriComponent(text).replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
    ...(text.length < minLength ? [] : [toBase64(text), toBase64(text).replaceAll('+', '-').replaceAll('/', '_')]),
  ]);
  return escaped.filter(({ length }) => length >= minLength);
}

/** Long texts are cut, and the cut may go through a secret: what is left of it at the end is replaced too. */
function withoutCutSecret(text: string, needles: readonly string[]): string {
  const end = text.endsWith('…') ? text.length - 1 : text.length;
  for (const needle of needles) {
    for (let length = Math.min(needle.length - 1, end); length >= minLength; length -= 1) {
      if (text.startsWith(needle.slice(0, length), end - length)) return text.slice(0, end - length) + shown;
    }
  }
  return text;
}
