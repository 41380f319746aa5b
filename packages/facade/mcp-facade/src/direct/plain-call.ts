// Recognises a `tools/call` that is written in the plainest way. Only such a one is served without the SDK; what is unusual
// in any respect is the SDK's to judge, so that no rule of the protocol is repeated here.
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { CallSource } from '@portico/control-plane';
import type { Era } from '../calls/connection.js';
import { envelopeIn, type KnownEnvelopes, metaBeside } from './known-envelopes.js';

export type RpcId = string | number;

export interface PlainCall {
  readonly id: RpcId;
  /** Without the envelope. */
  readonly params: JsonObject;
  readonly meta: JsonObject | undefined;
  readonly envelope: JsonObject | undefined;
  /** The client that sends it, where the call names it. */
  readonly source: CallSource | undefined;
}

const modernVersion = '2026-07-28';
const versionKey = 'io.modelcontextprotocol/protocolVersion';
const ownPrefix = 'io.modelcontextprotocol/';

/** @returns undefined for every other message */
export function toPlainCall(message: JsonObject, era: Era, known: KnownEnvelopes): PlainCall | undefined {
  const { jsonrpc, id, method, params } = message;
  if (method !== 'tools/call' || jsonrpc !== '2.0' || !isJsonObject(params) || countKeys(message) !== 4)
    return undefined;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  // A turn of a conversation, which the SDK takes out of the params.
  if (params.inputResponses !== undefined || params.requestState !== undefined) return undefined;
  const { _meta: meta } = params;
  if (meta !== undefined && (!isJsonObject(meta) || !isPlainToken(meta.progressToken))) return undefined;
  const ofEra = era === 'legacy' ? legacyMeta(params, meta) : modernMeta(params, meta, known);
  return ofEra && { id: id as RpcId, ...ofEra }; // looked at above
}

type OfEra = Pick<PlainCall, 'params' | 'meta' | 'envelope' | 'source'>;

/** Undefined for the `_meta` fields of 2026-07-28. */
function legacyMeta(params: JsonObject, meta: JsonObject | undefined): OfEra | undefined {
  for (const key in meta) if (key.startsWith(ownPrefix)) return undefined;
  return { params, meta, envelope: undefined, source: undefined };
}

function modernMeta(params: JsonObject, meta: JsonObject | undefined, known: KnownEnvelopes): OfEra | undefined {
  const envelope = meta && envelopeIn(meta);
  if (meta === undefined || envelope?.[versionKey] !== modernVersion) return undefined;
  const source = known.sourceOf(envelope);
  if (source === undefined) return undefined;
  const rest = metaBeside(meta);
  if (rest !== undefined) for (const key in rest) if (key.startsWith(ownPrefix)) return undefined;
  const { _meta, ...others } = params;
  return { params: rest === undefined ? others : { ...others, _meta: rest }, meta: rest, envelope, source };
}

function isPlainToken(token: unknown): boolean {
  return token === undefined || typeof token === 'string' || Number.isSafeInteger(token);
}

function countKeys(message: JsonObject): number {
  let count = 0;
  for (const _key in message) count += 1;
  return count;
}
