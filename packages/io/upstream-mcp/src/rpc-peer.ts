// Requests and their replies over one transport, in both eras. Results are handed on as the very objects that were
// parsed: no schema copies them, drops a key or refuses one. The caller's signal is the deadline of its request.

import { setMaxListeners } from 'node:events';
import { type AbortSignalLike, promised } from '@portico/async';
import { allClientCapabilities, isJsonObject, type JsonObject } from '@portico/contracts';
import type { ServerRequest, SettleResult } from '@portico/upstream-pool';
import { Askers } from './askers.js';
import { type AskingMemory, createAskingMemory } from './asking-memory.js';
import { catchUp } from './catch-up.js';
import { messageOf, rejected, unreachable } from './failures.js';
import { createNotificationIntake } from './notification-intake.js';
import { isCall, type PendingPeer, PendingRequest, PendingTable, type RequestOptions } from './pending-requests.js';
import { createParams, type Era, type ToParams } from './request-params.js';
import { createServerRequests } from './server-requests.js';
import type { Transport } from './transport.js';
import { type ClientInfo, type RpcId, type RpcMessage, resultText, rpcErrors } from './wire.js';

export interface RpcPeer {
  /** Sends a request. It ends with its result, with UpstreamFailure, or with the signal's reason when that aborts. */
  dispatch(method: string, params: JsonObject, options: RequestOptions, settle: SettleResult): void;
  /** `dispatch`, with its end as a promise. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /**
   * Speaks the era from now on: in 2026-07-28 every message of ours has an envelope in `_meta`, which declares the
   * extensions that the server and our caller share.
   */
  speak(era: Era, serverCapabilities?: JsonObject): void;
  /** Why the connection is over, or null while it is not. */
  lost(): string | null;
  /** Takes a message from the transport, as `TransportEvents.onMessage` passes it. Never throws. */
  receive(message: RpcMessage, related?: RpcId | null, length?: number): void;
  /** The calls that ask their callers something. */
  readonly memory: AskingMemory;
  /** The running calls, with notices of their ends. */
  readonly askers: Pick<Askers, 'load' | 'watchers'>;
  /** Ends every request that waits; later ones fail at once. */
  disconnect(reason: string): void;
}

export interface RpcPeerOptions {
  readonly clientInfo: ClientInfo;
  /** Client capabilities that are declared to the server; every bridged one by default. */
  readonly declared?: JsonObject | undefined;
  /** The transport may be opened after the peer, which is why this is a function. */
  readonly transport: () => Transport;
  /** `isOfCall` for a log message that may be of a call: no other caller may see it. */
  readonly onNotification: (method: string, params: JsonObject, isOfCall: boolean) => void;
  /** Answers what the server asks while no request of ours can be meant. @throws ServerRequestRefused */
  readonly onServerRequest: (question: ServerRequest, signal: AbortSignalLike) => Promise<JsonObject>;
  /**
   * A message could not be handled. Messages come out of stream listeners, where an exception would end this process.
   */
  readonly onDefect: (error: unknown) => void;
  /** Facts about the server from earlier sessions; by default none. */
  readonly memory?: AskingMemory | undefined;
}

export function createRpcPeer(options: RpcPeerOptions): RpcPeer {
  const { clientInfo, declared = allClientCapabilities, memory = createAskingMemory(), onNotification } = options;
  const pending = new PendingTable<PendingRequest>();
  const ping = (signal: AbortSignalLike) => request('ping', {}, { signal, isSilentOnAbort: true });
  const running = () => pending.all().filter(isCall);
  const caughtUp = (isPatient: boolean) => catchUp(ping, isPatient);
  const askers = new Askers({ running, asked: () => serverRequests.asked(), caughtUp, memory });
  const send = (message: RpcMessage) => options.transport().send(message);
  const serverRequests = createServerRequests({ send, askers, declared, onServerRequest: options.onServerRequest });
  const callOf = (id: unknown) => {
    const waiting = typeof id === 'number' || typeof id === 'string' ? pending.get(Number(id)) : undefined;
    return waiting !== undefined && isCall(waiting) ? waiting : undefined;
  };
  const onCancelled = serverRequests.cancelled;
  const takeNotification = createNotificationIntake({ callOf, running, onCancelled, onNotification });
  let transport: Transport | undefined;
  let toParams: ToParams | undefined; // for 2026-07-28
  let nextId = 0;
  let lostBecause: string | null = null;

  const notify = async (method: string, params?: JsonObject): Promise<void> => {
    if (lostBecause !== null) return;
    const content = toParams === undefined ? params : toParams(params ?? {});
    await send({ jsonrpc: '2.0', method, ...(content === undefined ? {} : { params: content }) });
  };

  const cancel = (id: RpcId, reason: unknown) => {
    if (toParams !== undefined && options.transport().hasReplyStreams) return; // the end of its reply stream says it
    void notify('notifications/cancelled', { requestId: id, reason: messageOf(reason) });
  };
  const peer: PendingPeer = { pending, askers, serverRequests, cancel };

  const dispatch: RpcPeer['dispatch'] = (method, params, asked, settle) => {
    const { signal, headers, handler } = asked;
    if (lostBecause !== null || signal.aborted) return settle.reject(whyUnsent(asked));
    nextId += 1;
    const id = nextId;
    if (handler === undefined && signal instanceof EventTarget) setMaxListeners(0, signal); // it may end many requests
    const waiting = new PendingRequest(peer, id, method, params, asked, settle);
    try {
      transport ??= options.transport();
      let sent = toParams === undefined ? params : toParams(params, { id, handler });
      if (toParams === undefined && handler?.progress !== undefined)
        sent = { ...params, _meta: { ...(params._meta as JsonObject), progressToken: id } };
      waiting.drop = transport.request({ jsonrpc: '2.0', id, method, params: sent }, waiting, headers ?? noHeaders);
    } catch (error) {
      waiting.reject(error); // what cannot be written as JSON, for one
    }
  };
  const whyUnsent = ({ signal, toFailure = (error) => error }: RequestOptions) =>
    lostBecause === null ? signal.reason : toFailure(unreachable(lostBecause, false));
  const request: RpcPeer['request'] = (method, params, asked) =>
    promised((settle) => dispatch(method, params, asked, settle));

  const takeOther = ({ id, method, params }: RpcMessage, related: RpcId | null | undefined) => {
    if (typeof method !== 'string') return;
    const given = isJsonObject(params) ? params : {};
    if (id === undefined) return takeNotification(method, given, related);
    // 2026-07-28 has no requests from the server, and no answers from the client.
    if (toParams === undefined) serverRequests.receive({ jsonrpc: '2.0', id, method, params: given }, callOf(related));
  };

  return {
    dispatch,
    request,
    notify,
    speak(era, serverCapabilities) {
      toParams = era === 'modern' ? createParams(clientInfo, declared, serverCapabilities) : undefined;
    },
    lost: () => lostBecause,
    memory,
    askers,
    receive(message, related, length = 0) {
      const { id, method, result, error, [resultText]: text } = message;
      try {
        if (method !== undefined || (result === undefined && error === undefined)) return takeOther(message, related);
        // Some servers echo a numeric id as a string. None: late, cancelled, or never asked, which MCP says to ignore.
        const waiting = typeof id === 'number' || typeof id === 'string' ? pending.take(Number(id)) : undefined;
        if (waiting === undefined) return;
        if (error === undefined && isJsonObject(result)) waiting.end(result, undefined, true, length, text);
        else waiting.end(undefined, rejected(error === undefined ? notAnObject : error), true, length);
      } catch (defect) {
        options.onDefect(defect);
      }
    },
    disconnect(reason) {
      if (lostBecause !== null) return;
      lostBecause = reason;
      serverRequests.close();
      const failure = unreachable(reason, true);
      for (const waiting of pending.all()) waiting.reject(failure);
    },
  };
}

const noHeaders: Readonly<Record<string, string>> = {};

const notAnObject = { code: rpcErrors.internalError, message: 'the result is not an object' };
