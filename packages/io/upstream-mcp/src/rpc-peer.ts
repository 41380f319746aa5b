// Requests and their replies over one transport, in both eras. Results are handed on as the very objects that were
// parsed: no schema copies them, drops a key or refuses one. It has no timers; the caller's signal is the deadline.
import { setMaxListeners } from 'node:events';
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { UpstreamFailure } from '@portico/upstream-pool';
import { excerpt, messageOf, rejected, unreachable } from './failures.js';
import type { Transport } from './transport.js';
import { type ClientInfo, isReply, metaKeys, modernRevision, type RpcId, type RpcMessage, rpcErrors } from './wire.js';

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** Extra headers, for transports that have any. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Do not tell the server when the signal aborts (`initialize` must not be cancelled, MCP 2025-11-25). */
  readonly isSilentOnAbort?: boolean;
}

/** Answers of ours under way; a server that asks on without taking them is not answered. */
const maxAnswering = 32;

export type Era = 'modern' | 'legacy';

export interface RpcPeer {
  /** @throws UpstreamFailure, or the signal's reason when it aborts. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Speaks the era from now on: 2026-07-28 puts an envelope into `_meta` of everything we send. */
  speak(era: Era): void;
  /** Why the connection is over, or null while it is not. */
  lost(): string | null;
  /** Takes a message from the transport. */
  receive(message: RpcMessage): void;
  /** Ends every request that waits; later ones fail at once. */
  disconnect(reason: string): void;
}

export interface RpcPeerOptions {
  readonly clientInfo: ClientInfo;
  /** The transport may be opened after the peer, which is why this is a function. */
  readonly transport: () => Transport;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

interface Pending {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** What a 2026-07-28 client says of itself on every message. */
export function envelope(clientInfo: ClientInfo): JsonObject {
  return {
    [metaKeys.protocolVersion]: modernRevision,
    [metaKeys.clientInfo]: { name: clientInfo.name, version: clientInfo.version },
    [metaKeys.clientCapabilities]: {},
  };
}

export function createRpcPeer({ clientInfo, transport, onNotification }: RpcPeerOptions): RpcPeer {
  const pending = new Map<RpcId, Pending>();
  const modernMeta = envelope(clientInfo);
  let era: Era = 'legacy';
  let nextId = 0;
  let answering = 0;
  let lostBecause: string | null = null;

  const withEnvelope = (params: JsonObject): JsonObject =>
    era === 'legacy'
      ? params
      : { ...params, _meta: { ...modernMeta, ...(isJsonObject(params._meta) ? params._meta : {}) } };

  const notify = async (method: string, params?: JsonObject): Promise<void> => {
    if (lostBecause !== null) return;
    const content = era === 'legacy' ? params : withEnvelope(params ?? {});
    await transport().send({ jsonrpc: '2.0', method, ...(content === undefined ? {} : { params: content }) });
  };

  const request = (method: string, params: JsonObject, { signal, headers, isSilentOnAbort }: RequestOptions) =>
    new Promise<JsonObject>((resolve, reject) => {
      if (lostBecause !== null) return reject(unreachable(lostBecause, false));
      if (signal.aborted) return reject(signal.reason);
      nextId += 1;
      const id = nextId;
      const settle = () => {
        pending.delete(id);
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (failure: unknown) => {
        if (!pending.has(id)) return;
        settle();
        reject(failure);
      };
      const onAbort = () => {
        fail(signal.reason);
        drop(); // first, because the server may take its time with the notification, or never take it
        const isTold = isSilentOnAbort !== true && !(era === 'modern' && transport().hasReplyStreams);
        if (isTold) void notify('notifications/cancelled', { requestId: id, reason: messageOf(signal.reason) });
      };
      pending.set(id, {
        resolve(result) {
          settle();
          resolve(result);
        },
        reject: fail,
      });
      setMaxListeners(0, signal); // one signal may be the deadline of any number of requests
      signal.addEventListener('abort', onAbort, { once: true });
      const message = { jsonrpc: '2.0', id, method, params: withEnvelope(params) } as const;
      const drop = transport().request(message, headers ?? {}, fail);
    });

  const receiveReply = (message: RpcMessage) => {
    // Some servers echo a numeric id as a string.
    const id = typeof message.id === 'string' ? Number(message.id) : message.id;
    const waiting = id === undefined || id === null ? undefined : pending.get(id);
    if (waiting === undefined) return; // late, cancelled, or never asked: MCP says to ignore it
    if (message.error !== undefined) waiting.reject(rejected(message.error));
    else if (isJsonObject(message.result)) waiting.resolve(message.result);
    else waiting.reject(rejected({ code: rpcErrors.internalError, message: 'the result is not an object' }));
  };

  const answer = ({ id, method }: RpcMessage) => {
    if (id === undefined || id === null) return;
    if (era === 'modern') return; // 2026-07-28 has no requests from the server, and no answers from the client
    if (answering >= maxAnswering) return;
    const reply = method === 'ping' ? { result: {} } : { error: methodNotFound(method) };
    const sending = transport().send({ jsonrpc: '2.0', id, ...reply });
    answering += 1;
    void sending.finally(() => {
      answering -= 1;
    });
  };

  return {
    request,
    notify,
    speak(newEra) {
      era = newEra;
    },
    lost: () => lostBecause,
    receive(message) {
      if (isReply(message)) receiveReply(message);
      else if (typeof message.method !== 'string') return;
      else if (message.id !== undefined) answer(message);
      else onNotification(message.method, isJsonObject(message.params) ? message.params : {});
    },
    disconnect(reason) {
      if (lostBecause !== null) return;
      lostBecause = reason;
      const failure: UpstreamFailure = unreachable(reason, true);
      for (const { reject } of [...pending.values()]) reject(failure);
    },
  };
}

const methodNotFound = (method: string | undefined) => ({
  code: rpcErrors.methodNotFound,
  message: excerpt(`Method not found: ${method}`),
});
