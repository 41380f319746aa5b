// Requests and their replies over one transport, in both eras. Results are handed on as the very objects that were
// parsed: no schema copies them, drops a key or refuses one. The caller's signal is the deadline of its request.

import { setMaxListeners } from 'node:events';
import { type AbortSignalLike, promised, type Settle } from '@portico/async';
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { ServerRequest, ServerRequestHandler, UpstreamFailure } from '@portico/upstream-pool';
import { type Askers, type AskingCall, createAskers } from './askers.js';
import { catchUp } from './catch-up.js';
import { messageOf, rejected, unreachable } from './failures.js';
import { createNotificationIntake } from './notification-intake.js';
import { PendingTable } from './pending-table.js';
import { createParams, type Era } from './request-params.js';
import { createServerRequests, type ServerRequests } from './server-requests.js';
import type { Transport } from './transport.js';
import { type ClientInfo, isReply, type RpcId, type RpcMessage, rpcErrors } from './wire.js';

export interface RequestOptions {
  readonly signal: AbortSignalLike;
  /** Extra headers, for transports that have any. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Do not tell the server when the signal aborts (`initialize` must not be cancelled, MCP 2025-11-25). */
  readonly isSilentOnAbort?: boolean;
  /** The caller, who can be asked while the request runs. */
  readonly handler?: ServerRequestHandler | undefined;
}

export interface RpcPeer {
  /** Sends a request. It ends with its result, with UpstreamFailure, or with the signal's reason when that aborts. */
  dispatch(method: string, params: JsonObject, options: RequestOptions, settle: Settle<JsonObject>): void;
  /** `dispatch`, with its end as a promise. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Speaks the era from now on: 2026-07-28 puts an envelope into `_meta` of everything we send. */
  speak(era: Era): void;
  /** Why the connection is over, or null while it is not. */
  lost(): string | null;
  /** Takes a message from the transport, as `TransportEvents.onMessage` tells it. */
  receive(message: RpcMessage, related?: RpcId | null, length?: number): void;
  /** Whether a call of that name has asked its caller something, or may have. */
  mayAsk(method: string, params: JsonObject): boolean;
  /** Resolves when no such call runs. Rejects with the signal's reason. */
  noneAsks(signal: AbortSignalLike): Promise<void>;
  /** Ends every request that waits; later ones fail at once. */
  disconnect(reason: string): void;
}

export interface RpcPeerOptions {
  readonly clientInfo: ClientInfo;
  /** The transport may be opened after the peer, which is why this is a function. */
  readonly transport: () => Transport;
  /** `isOfCall` for a log message that may be of a call: it is nobody else's business. */
  readonly onNotification: (method: string, params: JsonObject, isOfCall: boolean) => void;
  /** Answers what the server asks while no request of ours can be meant. @throws ServerRequestRefused */
  readonly onServerRequest: (question: ServerRequest, signal: AbortSignalLike) => Promise<JsonObject>;
}

interface PeerState {
  readonly pending: PendingTable<PendingRequest>;
  readonly askers: Askers;
  readonly serverRequests: ServerRequests;
  /** Sends `notifications/cancelled`, unless the end of a reply stream says it already. */
  readonly cancel: (id: RpcId, reason: unknown) => void;
}

/** A request that waits for its reply. */
class PendingRequest {
  readonly id: number;
  readonly call: AskingCall | undefined;
  readonly #peer: PeerState;
  readonly #signal: AbortSignalLike;
  readonly #isSilentOnAbort: boolean;
  readonly #settle: Settle<JsonObject>;
  readonly #onAbort = () => this.#abort();
  /** Takes the request back from the transport. */
  drop: (() => void) | undefined;

  constructor(
    peer: PeerState,
    id: number,
    call: AskingCall | undefined,
    { signal, isSilentOnAbort }: RequestOptions,
    settle: Settle<JsonObject>,
  ) {
    this.#peer = peer;
    this.id = id;
    this.call = call;
    this.#signal = signal;
    this.#isSilentOnAbort = isSilentOnAbort === true;
    this.#settle = settle;
    peer.pending.add(this);
    if (call !== undefined) peer.askers.begin(call);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** @param length of the line that the result came in */
  resolve(result: JsonObject, length: number): void {
    this.#finish(true);
    // To read a large one has taken some milliseconds, as will what is done with it: in between everything else has its turn.
    if (length < largeReply) this.#settle.resolve(result);
    else setImmediate(() => this.#settle.resolve(result));
  }

  reject(error: unknown, isAnswered = false): void {
    if (this.#peer.pending.get(this.id) !== this) return;
    this.#finish(isAnswered);
    this.#settle.reject(error);
  }

  #abort(): void {
    const { reason } = this.#signal;
    this.reject(reason);
    this.drop?.(); // first, because the server may take its time with the notification, or never take it
    if (!this.#isSilentOnAbort) this.#peer.cancel(this.id, reason);
  }

  #finish(isAnswered: boolean): void {
    const { pending, askers, serverRequests } = this.#peer;
    pending.delete(this.id);
    this.#signal.removeEventListener('abort', this.#onAbort);
    if (this.call === undefined) return;
    askers.end(this.call, isAnswered);
    serverRequests.ended(this.call, isAnswered);
  }
}

export function createRpcPeer({ clientInfo, transport, onNotification, onServerRequest }: RpcPeerOptions): RpcPeer {
  const pending = new PendingTable<PendingRequest>();
  const toParams = createParams(clientInfo);
  const ping = (signal: AbortSignalLike) => request('ping', {}, { signal, isSilentOnAbort: true });
  const askers = createAskers((isPatient) => catchUp(ping, isPatient));
  const send = (message: RpcMessage) => transport().send(message);
  const serverRequests = createServerRequests({ send, find: askers.find, onServerRequest });
  const takeNotification = createNotificationIntake({
    callOf: (id) => pendingOf(id)?.call,
    onlyCall: askers.only,
    isBusy: askers.isBusy,
    onCancelled: serverRequests.cancelled,
    onNotification,
  });
  let era: Era = 'legacy';
  let nextId = 0;
  let lostBecause: string | null = null;

  const notify = async (method: string, params?: JsonObject): Promise<void> => {
    if (lostBecause !== null) return;
    const content = era === 'legacy' ? params : toParams(era, params ?? {});
    await send({ jsonrpc: '2.0', method, ...(content === undefined ? {} : { params: content }) });
  };

  const cancel = (id: RpcId, reason: unknown) => {
    if (era === 'modern' && transport().hasReplyStreams) return; // the end of its reply stream says it
    void notify('notifications/cancelled', { requestId: id, reason: messageOf(reason) });
  };
  const state: PeerState = { pending, askers, serverRequests, cancel };

  const dispatch: RpcPeer['dispatch'] = (method, params, options, settle) => {
    const { signal, headers, handler } = options;
    if (lostBecause !== null) return settle.reject(unreachable(lostBecause, false));
    if (signal.aborted) return settle.reject(signal.reason);
    nextId += 1;
    const id = nextId;
    const call = handler && { handler, method, params, before: undefined, after: undefined };
    // The deadline of any number of requests; that of a call is its own.
    if (call === undefined && signal instanceof EventTarget) setMaxListeners(0, signal);
    const waiting = new PendingRequest(state, id, call, options, settle);
    try {
      const message = { jsonrpc: '2.0', id, method, params: toParams(era, params, { id, handler }) } as const;
      waiting.drop = transport().request(message, headers ?? noHeaders, (failure) => waiting.reject(failure));
    } catch (error) {
      waiting.reject(error); // what cannot be written as JSON, for one
    }
  };
  const request: RpcPeer['request'] = (method, params, options) =>
    promised((settle) => dispatch(method, params, options, settle));

  /** Some servers echo a numeric id as a string. None: late, cancelled, or never asked, which MCP says to ignore. */
  const pendingOf = (id: unknown) =>
    typeof id === 'number' || typeof id === 'string' ? pending.get(Number(id)) : undefined;

  return {
    dispatch,
    request,
    notify,
    speak(newEra) {
      era = newEra;
    },
    lost: () => lostBecause,
    mayAsk: askers.mayAsk,
    noneAsks: askers.noneAsks,
    receive(message, related, length = 0) {
      if (isReply(message)) return settle(pendingOf(message.id), message, length);
      if (typeof message.method !== 'string') return;
      if (message.id === undefined) {
        return takeNotification(message.method, isJsonObject(message.params) ? message.params : {}, related);
      }
      // 2026-07-28 has no requests from the server, and no answers from the client.
      if (era === 'legacy') serverRequests.receive(message, pendingOf(related)?.call);
    },
    disconnect(reason) {
      if (lostBecause !== null) return;
      lostBecause = reason;
      serverRequests.close();
      const failure: UpstreamFailure = unreachable(reason, true);
      for (const waiting of pending.all()) waiting.reject(failure);
    },
  };
}

function settle(waiting: PendingRequest | undefined, { result, error }: RpcMessage, length: number): void {
  if (waiting === undefined) return;
  if (error !== undefined) waiting.reject(rejected(error), true);
  else if (isJsonObject(result)) waiting.resolve(result, length);
  else waiting.reject(rejected({ code: rpcErrors.internalError, message: 'the result is not an object' }), true);
}

const noHeaders: Readonly<Record<string, string>> = {};

const largeReply = 256 * 1024;
