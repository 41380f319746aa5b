// Calls of tools that are served without the SDK, which takes longer over a message than the whole call takes. The same
// methods answer them; what goes round them is here: the context, the cancellation, and the text of the answer.
import { SdkError, SdkErrorCode, type Server } from '@modelcontextprotocol/server';
import { AbortSource, type Linked, LinkedSet } from '@portico/async';
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { Connection } from '../calls/connection.js';
import type { HttpInfo, RequestContext } from '../calls/request-context.js';
import type { McpFacadeDeps } from '../deps.js';
import { type SurfaceOf, serverInfoOf } from '../server/build-server.js';
import { answerTool, type ToolAnswer } from '../server/call-tool.js';
import { AnswerTexts, failureText } from './encode.js';
import type { PlainCall, RpcId } from './plain-call.js';

/** Where what belongs to one call is sent. */
export interface CallWire {
  /** A notification or a question. */
  notify(message: JsonObject): void;
  /** The answer, as JSON; nothing follows it. @param errorCode of JSON-RPC, where it is an error */
  answer(text: string, errorCode?: number): void;
  /** The connection is over, and with it the answer, however far it is. */
  close(): void;
  readonly http?: HttpInfo;
}

export interface DirectCalls {
  /** @param onEnd called once, before the answer is written; also where the call was cancelled */
  run(call: PlainCall, wire: CallWire, connection: Connection, onEnd?: () => void): void;
  /** The wire of the call that runs under an id; of several, that of the last. */
  wireOf(id: unknown): CallWire | undefined;
  /** Cancels what a `notifications/cancelled` names. */
  cancelBy(message: JsonObject): void;
  /** Cancels the call of one wire, as a caller that goes away does. */
  abandon(wire: CallWire): void;
  /** Resolves when all that run have been answered, or have had that long, milliseconds. */
  answered(withinMs: number): Promise<void>;
  /** Cancels them all: the connection is over. */
  close(): void;
}

export interface DirectInput {
  readonly deps: McpFacadeDeps;
  readonly surfaceOf: SurfaceOf;
  /** Asks the client, where it can be asked. */
  readonly server?: Server;
}

class Running implements Linked<Running> {
  before: Running | undefined = undefined;
  after: Running | undefined = undefined;
  readonly signal = new AbortSource();

  constructor(
    readonly id: RpcId,
    readonly wire: CallWire,
  ) {}
}

export function createDirectCalls({ deps, surfaceOf, server }: DirectInput): DirectCalls {
  const texts = new AnswerTexts(serverInfoOf(deps));
  /** Looked through where one is asked for, which is rare: V8 makes new tables for a Map that members come and go in. */
  const running = new LinkedSet<Running>();

  let onAnswered = () => {};

  const find = (isIt: (run: Running) => boolean): Running | undefined => {
    for (let run = running.last; run !== undefined; run = run.before) if (isIt(run)) return run;
    return undefined;
  };

  return {
    run(call, wire, connection, onEnd) {
      const { id, params } = call;
      const { era, caller } = connection;
      const run = new Running(id, wire);
      running.add(run);
      const end = (toAnswer: () => Answer) => {
        running.delete(run);
        onEnd?.();
        try {
          if (run.signal.aborted) return; // nothing is answered that was cancelled
          const { text, code } = orFailure(id, toAnswer);
          wire.answer(text, code);
        } catch (error) {
          deps.log('error', 'an answer over MCP could not be written', { error });
        } finally {
          if (running.last === undefined) onAnswered();
        }
      };
      const succeed = (answer: ToolAnswer) => end(() => ({ text: texts.textOf(id, answer, era) }));
      const fail = (error: unknown) => end(() => failureText(id, error));
      try {
        const context = contextOf(call, run, server);
        answerTool({ deps, connection, surface: surfaceOf(caller), surfaceOf, params, context }).then(succeed, fail);
      } catch (error) {
        fail(error);
      }
    },
    wireOf: (id) => find((run) => run.id === id)?.wire,
    cancelBy({ method, id, params }) {
      if (method !== 'notifications/cancelled' || id !== undefined || !isJsonObject(params)) return;
      const { requestId, reason = cancelled } = params;
      if (typeof reason === 'string') find((run) => run.id === requestId)?.signal.abort(reason);
    },
    abandon(wire) {
      find((run) => run.wire === wire)?.signal.abort(connectionClosed());
    },
    async answered(withinMs) {
      if (running.last === undefined) return;
      let timer: NodeJS.Timeout | undefined;
      const notifyOthers = onAnswered; // several may wait
      await new Promise<void>((resolve) => {
        onAnswered = () => {
          notifyOthers();
          resolve();
        };
        timer = setTimeout(resolve, withinMs);
      });
      clearTimeout(timer);
    },
    close() {
      for (const { wire, signal } of running.all()) {
        signal.abort(connectionClosed());
        wire.close();
      }
    },
  };
}

/** The reason that a server gets of a cancel without one, as it gets it through the SDK. */
const cancelled = 'This operation was aborted';

interface Answer {
  readonly text: string;
  /** The JSON-RPC code of an error. */
  readonly code?: number;
}

/** A result that cannot be written as JSON is answered as a failure. */
function orFailure(id: RpcId, toAnswer: () => Answer): Answer {
  try {
    return toAnswer();
  } catch (error) {
    return failureText(id, error);
  }
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
        wire.notify({ jsonrpc: '2.0', method, params });
      },
      send: send as RequestContext['mcpReq']['send'], // the one shape of it that is used
    },
    http: wire.http,
  };
}
