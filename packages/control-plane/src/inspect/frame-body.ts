// The stored content of a message: never more than may be shown to an admin.
import { utf8Length } from '@portico/canonical-json';
import { exactJson, type Inspect, isJsonObject, type JsonValue, keepExact, parseExact } from '@portico/contracts';
import type { PlanePolicy } from '../state/plane-policy.js';
import { headOfJson } from './json-head.js';
import { shapeOf } from './shape-of.js';
import { toUtf8 } from './utf8.js';

export interface FrameBody {
  /** JSON text in UTF-8; absent if nothing is kept. */
  readonly body?: Uint8Array;
  /** Whether the body is less than the whole message. */
  readonly isCut: boolean;
}

/** The policies whose rules of redaction all apply. */
type Redacting = readonly Pick<PlanePolicy, 'logRedactor' | 'secrets'>[];

/**
 * @param bytes of the text in UTF-8
 * @param maxBytes of the body
 */
export function bodyOf(
  text: string,
  bytes: number,
  bodies: Inspect['bodies'],
  maxBytes: number,
  policies: Redacting,
): FrameBody {
  if (bodies === 'off') return { isCut: false };
  const head = headWithin(text, bytes, maxBytes);
  if (head === undefined) return { isCut: true };
  try {
    const shown = policies.reduce<JsonValue>((value, policy) => redactAll(policy, value), parseExact(head));
    return { body: toUtf8(exactJson(bodies === 'shape' ? shapeOf(shown) : shown)), isCut: head !== text };
  } catch {
    return { isCut: true }; // what cannot be read cannot be redacted
  }
}

/** @param bytes of the text */
function headWithin(text: string, bytes: number, maxBytes: number): string | undefined {
  if (bytes <= maxBytes) return text;
  let limit = Math.min(maxBytes, text.length - 1);
  let head = headOfJson(text, limit);
  while (head !== undefined && utf8Length(head) > maxBytes) {
    limit = Math.floor(limit / 2); // characters of several bytes
    head = headOfJson(text, limit);
  }
  return head;
}

/** A method or an id, which is short. */
export function redactName(policies: Redacting, name: string): string {
  return policies.reduce((given, policy) => redactText(policy, given), name);
}

/** By the names of members, in free texts, and by the values of known secrets; the names of members included. */
function redactAll({ logRedactor, secrets }: Redacting[number], value: JsonValue): JsonValue {
  const shown = inTexts(logRedactor.redact(value), (text) => redactText({ logRedactor }, text));
  if (secrets === undefined || secrets.isEmpty) return shown;
  const { message = null } = secrets.maskObject({ message: shown });
  return message;
}

const login = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#\\"<>`]+@/gi;

/** A free text. In an address, the login too. */
function redactText({ logRedactor }: Pick<PlanePolicy, 'logRedactor'>, text: string): string {
  const shown = logRedactor.redactText(text);
  return shown.includes('@') ? shown.replace(login, '$1[REDACTED]@') : shown;
}

/** Texts and names of members. The same value where none of them changes. */
function inTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => inTexts(item, change));
    return items.some((item, at) => !Object.is(item, value[at])) ? keepExact(value, items) : value;
  }
  if (!isJsonObject(value)) return value;
  let isChanged = false;
  const entries = Object.entries(value).map(([name, item]) => {
    const shown = [change(name), item === undefined ? item : inTexts(item, change)] as const;
    isChanged ||= shown[0] !== name || !Object.is(shown[1], item);
    return shown;
  });
  return isChanged ? keepExact(value, Object.fromEntries(entries)) : value;
}
