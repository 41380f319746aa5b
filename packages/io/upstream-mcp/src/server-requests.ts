// Answers what a server of 2025-11-25 asks of us: pings at once, questions by the caller they are meant for. Each question
// has an answer, unless the server takes it back or the session ends first.
import type { AbortSignalLike } from '@portico/async';
import { isJsonObject, type JsonObject } from '@portico/contracts';
import {
  canAnswer,
  type ServerRequest,
  type ServerRequestMethod,
  ServerRequestRefused,
  serverRequestMethods,
} from '@portico/upstream-pool';
import type { Askers, AskingCall } from './askers.js';
import { excerpt, messageOf } from './failures.js';
import { type RpcId, type RpcMessage, rpcErrors } from './wire.js';

export interface ServerRequests {
  /** The questions that wait for their answers, by their ids. */
  readonly open: ReadonlyMap<RpcId, unknown>;
  /** The calls that they are taken to be of; null or undefined for one of none, or of one that is looked for. */
  asked(): Iterable<AskingCall | null | undefined>;
  /** @param related the call on whose reply stream it came, where the transport has any */
  receive(message: RpcMessage, related: AskingCall | undefined): void;
  /** The server does not want an answer any more. */
  cancelled(id: unknown): void;
  /**
   * A call is over, and with it what the server has asked for it. It need not be said where no question is open.
   * @param isAnswered whether the server has answered it: a question that was only taken for its own is the server's then
   */
  ended(call: AskingCall, isAnswered: boolean): void;
  /** Nothing can be answered any more. */
  close(): void;
}

export interface ServerRequestsDeps {
  readonly send: (message: RpcMessage) => Promise<void>;
  /** Finds the call that a question belongs to. */
  readonly askers: Pick<Askers, 'find'>;
  /** The capabilities declared to the server: a request outside of them is refused without a search for its caller. */
  readonly declared: JsonObject;
  /** Answers what belongs to no call, and what was not declared. @throws ServerRequestRefused */
  readonly onServerRequest: (question: ServerRequest, signal: AbortSignalLike) => Promise<JsonObject>;
}

/** Questions that wait for their answers: as many as calls may be parked. */
const maxOpen = 1000;
/** Answers under way, refusals too; a server that asks on without taking them is not answered. */
const maxAnswering = 2 * maxOpen;

interface Open {
  /** Ends the question, or, once replaced by another, only how it was put so far. */
  abort: AbortController;
  /** The call that it is taken to be asked for; undefined while that is looked for, null for none. */
  call: AskingCall | null | undefined;
  /** Whether the transport says whose it is. */
  readonly isCertain: boolean;
}

/** The call of a question is over: the server gets this as an answer. */
class CallOver extends Error {}

export function createServerRequests({ send, askers, declared, onServerRequest }: ServerRequestsDeps): ServerRequests {
  const open = new Map<RpcId, Open>();
  let isClosed = false;
  let answering = 0;

  const reply = async (id: RpcId, content: Pick<RpcMessage, 'result' | 'error'>) => {
    if (isClosed || answering >= maxAnswering) return;
    answering += 1;
    try {
      await send({ jsonrpc: '2.0', id, ...content });
    } finally {
      answering -= 1;
    }
  };

  const ask = async (question: ServerRequest, entry: Open): Promise<JsonObject> => {
    const { signal } = entry.abort;
    try {
      if (entry.call === undefined) entry.call = await askers.find(question.method, signal);
      signal.throwIfAborted();
      return await (entry.call === null
        ? onServerRequest(question, signal)
        : entry.call.handler.onServerRequest(question, signal));
    } catch (error) {
      if (signal === entry.abort.signal) throw error;
      return ask(question, entry); // it was not that call's
    }
  };

  const answer = async (id: RpcId, question: ServerRequest, related: AskingCall | null | undefined) => {
    if (open.size >= maxOpen || open.has(id)) {
      const message = `at most ${maxOpen} requests with ids of their own are answered at a time (a fixed limit)`;
      return reply(id, { error: { code: rpcErrors.internalError, message } });
    }
    const entry: Open = { abort: new AbortController(), call: related, isCertain: related !== undefined };
    open.set(id, entry);
    try {
      const result = await ask(question, entry);
      entry.abort.signal.throwIfAborted();
      await reply(id, { result });
    } catch (error) {
      const { aborted, reason } = entry.abort.signal;
      if (aborted && !(reason instanceof CallOver)) return; // who cancelled it wants no answer
      const code = error instanceof ServerRequestRefused ? error.code : rpcErrors.internalError;
      await reply(id, { error: { code, message: messageOf(aborted ? reason : error) } });
    } finally {
      open.delete(id);
    }
  };

  const abort = (entry: Open | undefined, reason: string) => entry?.abort.abort(new Error(reason));

  /** A call that is answered while its question waits has not asked it: the server asks for itself. */
  const takeAsItsOwn = (entry: Open) => {
    const before = entry.abort;
    entry.abort = new AbortController();
    entry.call = null;
    before.abort(new CallOver('the call is over'));
  };

  return {
    open,
    asked: () => [...open.values()].map(({ call }) => call),
    receive({ id, method, params }, related) {
      if (id === undefined || id === null) return;
      if (method === 'ping') return void reply(id, { result: {} });
      if (!isServerRequestMethod(method)) {
        const error = { code: rpcErrors.methodNotFound, message: excerpt(`Method not found: ${method}`) };
        return void reply(id, { error });
      }
      const question = { method, params: isJsonObject(params) ? params : {} };
      void answer(id, question, canAnswer(declared, question) ? related : null);
    },
    cancelled(id) {
      if (typeof id === 'string' || typeof id === 'number') abort(open.get(id), 'the server cancelled its question');
    },
    ended(call, isAnswered) {
      for (const entry of open.values()) {
        if (entry.call !== call) continue;
        if (isAnswered && !entry.isCertain) takeAsItsOwn(entry);
        else entry.abort.abort(new CallOver('the call that this was asked for is over'));
      }
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
