// Keeps secrets that were looked up from being shown again by those who got them: a child that prints its environment,
// a server that repeats a header in an error. Knows values, where the redaction by policy knows names of keys.
import { isJsonObject, type JsonValue } from '@portico/contracts';

export interface KnownSecrets {
  /** Secrets that `owner` uses from now on. Those of the time before stay known: who got them may still be running. */
  learn(owner: string, values: readonly string[]): void;
  /** The text with every known secret replaced. */
  mask(text: string): string;
  /** The same for every text in a value. It gives back the same object where nothing is to be replaced. */
  maskJson(value: JsonValue): JsonValue;
}

const shown = '[REDACTED]';

/** Shorter values are words of everyday, and replacing them would garble every message. */
const minLength = 6;

export function createKnownSecrets(): KnownSecrets {
  const owners = new Map<string, { readonly now: readonly string[]; readonly before: readonly string[] }>();
  let needles: readonly string[] = [];

  const mask = (text: string): string => {
    if (needles.length === 0) return text;
    const masked = needles.reduce((rest, needle) => rest.replaceAll(needle, shown), text);
    return withoutCutSecret(masked, needles);
  };
  const maskJson = (value: JsonValue): JsonValue => {
    if (needles.length === 0) return value;
    if (typeof value === 'string') return mask(value);
    if (Array.isArray(value)) return value.map(maskJson);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), item && maskJson(item)]));
  };
  return {
    mask,
    maskJson,
    learn(owner, values) {
      const now = [...new Set(values.flatMap(spellingsOf))];
      const last = owners.get(owner);
      if (last === undefined && now.length === 0) return;
      const isSame = last !== undefined && last.now.join('\0') === now.join('\0');
      if (isSame) return;
      owners.set(owner, { now, before: last?.now ?? [] });
      const all = [...owners.values()].flatMap((known) => [...known.now, ...known.before]);
      needles = [...new Set(all)].sort((a, b) => b.length - a.length); // no secret hides a part of a longer one
    },
  };
}

/** Half a surrogate pair is nothing that a URL can hold. */
const toUriComponent = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));

/** A value as it is, line by line, and as JSON and URLs write it. */
function spellingsOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/);
  const plain = [value, ...(lines.length === 1 ? [] : lines)];
  const escaped = plain.flatMap((text) => [text, JSON.stringify(text).slice(1, -1), toUriComponent(text)]);
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
