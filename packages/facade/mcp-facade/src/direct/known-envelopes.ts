// The envelopes of 2026-07-28 that the SDK has let through. Clients send the same one with every request, so a call whose
// envelope is known needs no second judgement. Nothing is taken for valid that the SDK has not seen.
import { type AuditChannel, isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import { type CallSource, sourceOfClientInfo } from '@portico/control-plane';

export interface KnownEnvelopes {
  /** The client that sends it. */
  add(envelope: JsonObject): CallSource;
  /** The client that sends a known envelope; undefined for any other. */
  sourceOf(envelope: JsonObject): CallSource | undefined;
}

const maxKnown = 200;
const maxLength = 4096;

/** The keys of `_meta` that belong to it (MCP 2026-07-28, basic, `_meta`). */
const clientInfoKey = 'io.modelcontextprotocol/clientInfo';
const keys = [
  'io.modelcontextprotocol/protocolVersion',
  clientInfoKey,
  'io.modelcontextprotocol/clientCapabilities',
  'io.modelcontextprotocol/logLevel',
] as const;

export function createKnownEnvelopes(channel: AuditChannel): KnownEnvelopes {
  const known = new Map<string, CallSource>();
  let last: { readonly envelope: JsonObject; readonly source: CallSource } | undefined;
  return {
    add(envelope) {
      const text = JSON.stringify(envelope);
      const source = known.get(text) ?? sourceOfClientInfo(channel, envelope[clientInfoKey]);
      if (known.size < maxKnown && text.length <= maxLength) known.set(text, source);
      return source;
    },
    sourceOf(envelope) {
      // Most come from the client that sent the one before. To compare the two takes less than to write one as text.
      if (last !== undefined && isSame(envelope, last.envelope)) return last.source;
      const source = known.get(JSON.stringify(envelope));
      if (source !== undefined) last = { envelope, source };
      return source;
    },
  };
}

/** Whether their JSON texts are the same, down to the order of members. False if lists are among them. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  const names = Object.keys(one);
  const others = Object.keys(other);
  if (names.length !== others.length) return false;
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i] as string; // i is below the length, as for the others
    if (name !== others[i] || !isSameValue(one[name], other[name])) return false;
  }
  return true;
}

function isSameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === other || (isJsonObject(one) && isJsonObject(other) && isSame(one, other));
}

/** The envelope in a `_meta`; undefined if nothing of one is there. */
export function envelopeIn(meta: JsonObject): JsonObject | undefined {
  let envelope: JsonObject | undefined;
  for (const key of keys) {
    const value = meta[key];
    if (value === undefined) continue;
    envelope ??= {};
    (envelope as Record<string, typeof value>)[key] = value; // it was made just now
  }
  return envelope;
}

/** The rest of a `_meta`, as a method sees it; undefined if nothing is left. */
export function metaBeside(meta: JsonObject): JsonObject | undefined {
  for (const name in meta) {
    if (isOfEnvelope(name)) continue;
    return Object.fromEntries(Object.entries(meta).filter(([key]) => !isOfEnvelope(key)));
  }
  return undefined;
}

function isOfEnvelope(key: string): boolean {
  return keys.some((known) => known === key);
}

/** As the SDK's context has it. */
export function toEnvelope(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}
