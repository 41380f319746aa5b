// Takes secrets out of values before they are shown, logged or sent. Knows secrets by the name of their key only. Never
// throws and never changes its argument; a value that needs no change comes back by reference.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  keepExact,
  nestsDeeperThan,
  parseExact,
  type SecretValues,
  writeExact,
} from '@portico/contracts';
import { countKeys, countKeysInJson } from './count-keys.js';
import { compileRedactKeys, type RedactKeys, redacted } from './redact-keys.js';
import { redactPieces } from './redact-pieces.js';

export interface Redactor {
  /**
   * Every value under a redacted key becomes "[REDACTED]", at any depth; text that is JSON is redacted inside. A value
   * deeper than 256 levels, or in JSON within 16 levels of JSON texts, becomes "[REDACTED]" as a whole, as does text
   * with brackets that nest deeper than that. Text is written again only when something in it was redacted, or was
   * hidden behind a second key of the same name; its numbers keep all of their digits.
   */
  redact(value: JsonValue): JsonValue;
  /** As redact, but the keys are dropped. For `sanitized_args`. */
  sanitize(args: JsonObject): JsonObject;
  /**
   * A free text such as an error message or a log line: JSON, whole, embedded or escaped, and `key=value` and
   * `key: value` pieces; after an authorization key the scheme goes too. `Bearer <token>` needs no key.
   * Where a piece has no clear end, too much is redacted rather than too little.
   */
  redactText(text: string): string;
  /** Replaces the known values of secrets, and nothing else. */
  maskText(text: string): string;
}

/** Entries of objects and lists at this depth are redacted under any name. */
export const maxRedactedDepth = 256;
const maxTexts = 16;

/** Settings of a walk. The depth of a value, in lists and objects and in texts of JSON, is counted at each step. */
interface Walk {
  readonly keys: RedactKeys;
  readonly dropsKeys: boolean;
}

const noSecretValues: SecretValues = Object.freeze({
  isEmpty: true,
  maskText: (text: string) => text,
  maskObject: (object: JsonObject) => object,
});

/**
 * Creates a redactor of JSON values and texts.
 * @param keys Names of keys that hold secrets; case does not matter, and `-` equals `_`.
 * @param secrets Values that `sanitize` and `redactText` replace as well.
 */
export function createRedactor(keys: readonly string[], secrets: SecretValues = noSecretValues): Redactor {
  const compiled = compileRedactKeys(keys);
  const marking: Walk = { keys: compiled, dropsKeys: false };
  const dropping: Walk = { keys: compiled, dropsKeys: true };
  return Object.freeze({
    redact: (value: JsonValue) => redactValue(marking, value, 0, 0),
    sanitize(args: JsonObject) {
      const kept = redactObject(dropping, args, 0, 0);
      return secrets.isEmpty ? kept : secrets.maskObject(kept);
    },
    redactText(text: string) {
      const shown = redactPieces(compiled, redactJsonText(marking, text, 0, 0));
      return secrets.isEmpty ? shown : secrets.maskText(shown);
    },
    maskText: (text: string) => secrets.maskText(text),
  });
}

function redactValue(walk: Walk, value: JsonValue, depth: number, texts: number): JsonValue {
  if (depth > maxRedactedDepth) return redacted;
  if (typeof value === 'string') return redactJsonText(walk, value, depth, texts);
  if (isJsonObject(value)) return redactObject(walk, value, depth, texts);
  return Array.isArray(value) ? redactList(walk, value, depth, texts) : value;
}

function redactList(walk: Walk, list: readonly JsonValue[], depth: number, texts: number): readonly JsonValue[] {
  const result = list.map((value) => redactValue(walk, value, depth + 1, texts));
  return result.some((value, index) => !Object.is(value, list[index])) ? keepExact(list, result) : list;
}

/** Makes a copy from the first member on that changes: most objects have none. */
function redactObject(walk: Walk, object: JsonObject, depth: number, texts: number): JsonObject {
  const names = Object.keys(object);
  let copy: [string, JsonValue | undefined][] | undefined;
  let at = 0;
  for (const name of names) {
    const value = object[name];
    const isSecret = walk.keys.has(name);
    const isDropped = isSecret && walk.dropsKeys;
    const shown = isSecret ? redacted : value === undefined ? undefined : redactValue(walk, value, depth + 1, texts);
    if (copy === undefined && (isDropped || !Object.is(shown, value)))
      copy = names.slice(0, at).map((before) => [before, object[before]]);
    if (!isDropped) copy?.push([name, shown]);
    at += 1;
  }
  // fromEntries defines own properties, so that a key such as __proto__ stays a key.
  return copy === undefined ? object : keepExact(object, Object.fromEntries(copy));
}

/** The text itself unless it is JSON, with or without white space around it, that must change. */
function redactJsonText(walk: Walk, text: string, depth: number, texts: number): string {
  const json = text.trim();
  if (!looksLikeContainer(json)) return text;
  if (nestsDeeperThan(json, maxRedactedDepth)) return redacted; // before it is parsed, which takes 30 times as long
  const parsed = parseContainer(json);
  if (parsed === undefined) return text;
  if (texts >= maxTexts) return redacted;
  const shown = redactValue(walk, parsed, depth, texts + 1);
  if (shown === parsed && countKeys(parsed) === countKeysInJson(json)) return text;
  const start = text.length - text.trimStart().length;
  return text.slice(0, start) + writeExact(shown) + text.slice(start + json.length);
}

/** Whether it may be JSON of an object, a list or a text; numbers and the like hold no keys. */
function looksLikeContainer(json: string): boolean {
  return json.length >= 2 && ['{}', '[]', '""'].includes(json.charAt(0) + json.charAt(json.length - 1));
}

function parseContainer(json: string): JsonValue | undefined {
  try {
    return parseExact(json);
  } catch {
    // Text that only looks like JSON is plain text.
    return undefined;
  }
}
