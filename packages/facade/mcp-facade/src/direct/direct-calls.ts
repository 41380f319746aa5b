// Calls of tools that are served without the SDK, which takes longer over a message than the whole call takes. The same
// methods answer them; what goes round them is here: the context, the cancellation, and the text of the answer.
import { SdkError, SdkErrorCode, type Server } from '@modelcontextprotocol/server';
import { AbortSource } from '@portico/async';
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { Connection } from '../calls/connection.js';
import type { HttpInfo, RequestContext } from '../calls/request-context.js';
import type { McpFacadeDeps } from '../deps.js';
import { type SurfaceOf, serverInfoOf } from '../server/build-server.js';
import { callTool } from '../server/call-tool.js';
import { failureText, resultText, type ServerInfo } from './encode.js';
import type { PlainCall, RpcId } from './plain-call.js';

/** Where what belongs to one call is sent. */
export interface CallWire {
  /** A notification or a question. */
  tell(message: JsonObject): void;
  /** The answer, as JSON; nothing follows it. @param errorCode of JSON-RPC, where it is an error */
  answer(text: string, errorCode?: number): void;
  /** The connection is over, and with it the answer, however far it is. */
  close(): void;
  readonly http?: HttpInfo;
}

export interface DirectCalls {
  run(call: PlainCall, wire: CallWire): void;
  /** The wire of the call that runs under an id. */
  wireOf(id: unknown): CallWire | undefined;
  /** Cancels what a `notifications/cancelled` names. */
  heed(message: JsonObject): void;
  /** Cancels one call, as a caller that goes away does. */
  abandon(id: RpcId, wire: CallWire): void;
  /** Cancels them all: the connection is over. */
  close(): void;
}

export interface DirectInput {
  readonly deps: McpFacadeDeps;
  readonly surfaceOf: SurfaceOf;
  readonly connection: Connection;
  /** Asks the client, where it can be asked. */
  readonly server?: Server;
}

interface Running {
  readonly wire: CallWire;
  readonly signal: AbortSource;
}

export function createDirectCalls(input: DirectInput): DirectCalls {
  const { deps, surfaceOf, connection, server } = input;
  const { era, caller } = connection;
  const info: ServerInfo = serverInfoOf(deps);
  const running = new Map<RpcId, Running>();

  const end = (id: RpcId, run: Running): boolean => {
    if (running.get(id) === run) running.delete(id);
    return !run.signal.aborted; // nothing is answered that was cancelled
  };
  const cancel = (run: Running | undefined, reason: unknown) => run?.signal.abort(reason);

  return {
    run(call, wire) {
      const { id, params } = call;
      const run: Running = { wire, signal: new AbortSource() };
      running.set(id, run);
      const context = contextOf(call, run, server);
      const succeed = (result: JsonObject) => {
        if (!end(id, run)) return;
        wire.answer(resultText(id, result, era, info));
      };
      const fail = (error: unknown) => {
        if (!end(id, run)) return;
        const { text, code } = failureText(id, error);
        wire.answer(text, code);
      };
      try {
        callTool({ deps, connection, surface: surfaceOf(caller), params, context }).then(succeed, fail);
      } catch (error) {
        fail(error);
      }
    },
    wireOf: (id) => running.get(id as RpcId)?.wire, // another kind of value is never found
    heed({ method, params }) {
      if (method !== 'notifications/cancelled' || !isJsonObject(params)) return;
      cancel(running.get(params.requestId as RpcId), params.reason); // another kind of value is never found
    },
    abandon(id, wire) {
      const run = running.get(id);
      if (run?.wire === wire) cancel(run, connectionClosed());
    },
    close() {
      for (const run of [...running.values()]) {
        run.wire.close();
        cancel(run, connectionClosed());
      }
    },
  };
}

function connectionClosed(): SdkError {
  return new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed');
}

const noState = () => undefined;

function contextOf({ id, meta, envelope }: PlainCall, { wire, signal }: Running, server?: Server): RequestContext {
  const send = (request: unknown, schema: unknown, options: object) => {
    if (server === undefined) throw new Error('this client cannot be asked');
    const ask = server.request.bind(server) as (...given: readonly unknown[]) => Promise<unknown>;
    return ask(request, schema, { ...options, relatedRequestId: id });
  };
  return {
    mcpReq: {
      _meta: meta as RequestContext['mcpReq']['_meta'], // JSON, whose token was looked at
      envelope: envelope as RequestContext['mcpReq']['envelope'], // one that the SDK has let through
      requestState: noState,
      signal,
      async notify({ method, params }) {
        wire.tell({ jsonrpc: '2.0', method, params });
      },
      send: send as RequestContext['mcpReq']['send'], // the one shape of it that is used
    },
    http: wire.http,
  };
}
