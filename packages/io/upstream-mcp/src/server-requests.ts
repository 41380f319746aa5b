// Answers what a server of 2025-11-25 asks of us: pings at once, questions by the caller they are meant for.
import type { AbortSignalLike } from '@portico/async';
import { isJsonObject, type JsonObject } from '@portico/contracts';
import {
  type ServerRequest,
  type ServerRequestMethod,
  ServerRequestRefused,
  serverRequestMethods,
} from '@portico/upstream-pool';
import type { AskingCall } from './askers.js';
import { excerpt, messageOf } from './failures.js';
import { type RpcId, type RpcMessage, rpcErrors } from './wire.js';

export interface ServerRequests {
  /** @param related the call on whose reply stream it came, where the transport has any */
  receive(message: RpcMessage, related: AskingCall | undefined): void;
  /** The server does not want an answer any more. */
  cancelled(id: unknown): void;
  /** A call is over, and with it what the server has asked for it. */
  ended(call: AskingCall): void;
  /** Nothing can be answered any more. */
  close(): void;
}

export interface ServerRequestsDeps {
  readonly send: (message: RpcMessage) => Promise<void>;
  /** The call that a question belongs to; null where none runs. @throws ServerRequestRefused */
  readonly find: (method: string, signal: AbortSignalLike) => Promise<AskingCall | null>;
  /** Answers what belongs to no call. @throws ServerRequestRefused */
  readonly onServerRequest: (question: ServerRequest, signal: AbortSignalLike) => Promise<JsonObject>;
}

/** Questions that wait for their answers: as many as calls may be parked. */
const maxOpen = 1000;
/** Answers under way, refusals too; a server that asks on without taking them is not answered. */
const maxAnswering = 2 * maxOpen;

interface Open {
  readonly abort: AbortController;
  call: AskingCall | null;
}

export function createServerRequests({ send, find, onServerRequest }: ServerRequestsDeps): ServerRequests {
  const open = new Map<RpcId, Open>();
  let isClosed = false;
  let answering = 0;

  const reply = async (id: RpcId, content: Pick<RpcMessage, 'result' | 'error'>) => {
    if (isClosed || answering >= maxAnswering) return;
    answering += 1;
    await send({ jsonrpc: '2.0', id, ...content });
    answering -= 1;
  };

  const ask = async (question: ServerRequest, entry: Open, related: AskingCall | undefined): Promise<JsonObject> => {
    const { signal } = entry.abort;
    entry.call = related ?? (await find(question.method, signal));
    signal.throwIfAborted();
    return entry.call === null
      ? onServerRequest(question, signal)
      : entry.call.handler.onServerRequest(question, signal);
  };

  const answer = async (id: RpcId, question: ServerRequest, related: AskingCall | undefined) => {
    if (open.size >= maxOpen || open.has(id)) {
      const message = `at most ${maxOpen} requests with ids of their own are answered at a time`;
      return reply(id, { error: { code: rpcErrors.internalError, message } });
    }
    const entry: Open = { abort: new AbortController(), call: related ?? null };
    open.set(id, entry);
    try {
      const result = await ask(question, entry, related);
      if (!entry.abort.signal.aborted) await reply(id, { result });
    } catch (error) {
      if (entry.abort.signal.aborted) return; // who cancelled it wants no answer
      const code = error instanceof ServerRequestRefused ? error.code : rpcErrors.internalError;
      await reply(id, { error: { code, message: messageOf(error) } });
    } finally {
      open.delete(id);
    }
  };

  const abort = (entry: Open | undefined, reason: string) => entry?.abort.abort(new Error(reason));

  return {
    receive({ id, method, params }, related) {
      if (id === undefined || id === null) return;
      if (method === 'ping') return void reply(id, { result: {} });
      if (!isServerRequestMethod(method)) {
        const error = { code: rpcErrors.methodNotFound, message: excerpt(`Method not found: ${method}`) };
        return void reply(id, { error });
      }
      void answer(id, { method, params: isJsonObject(params) ? params : {} }, related);
    },
    cancelled(id) {
      if (typeof id === 'string' || typeof id === 'number') abort(open.get(id), 'the server cancelled its question');
    },
    ended(call) {
      for (const entry of open.values()) if (entry.call === call) abort(entry, 'the call is over');
    },
    close() {
      isClosed = true;
      for (const entry of open.values()) abort(entry, 'the session is over');
    },
  };
}

function isServerRequestMethod(method: string | undefined): method is ServerRequestMethod {
  return serverRequestMethods.some((known) => known === method);
}
