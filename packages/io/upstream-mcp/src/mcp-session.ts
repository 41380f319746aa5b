// A live session behind the pool's port: calls, lists, health and the end of it, alike for both eras and all transports.
import { type AbortSignalLike, promised, type Settle, settleWith } from '@portico/async';
import { isJsonObject, type JsonObject, tasksExtension, type UpstreamDefinitions } from '@portico/contracts';
import {
  createAdmissionQueue,
  NotSent,
  type PendingLogin,
  permitHolder,
  type ServerRequestHandler,
  type UpstreamRequest,
  type UpstreamSession,
} from '@portico/upstream-pool';
import { discover, fewOf } from './discover.js';
import { excerpt, rejectionCode } from './failures.js';
import { createLogLevel } from './log-level.js';
import { traceHeaders } from './mcp-headers.js';
import type { Agreement } from './negotiate.js';
import { findHeaderParams, type HeaderParam, paramHeaders } from './param-headers.js';
import type { WatchResources } from './resource-watch.js';
import type { RpcPeer } from './rpc-peer.js';
import type { Transport } from './transport.js';
import { metaKeys, rpcErrors } from './wire.js';

export interface McpSessionOptions {
  readonly peer: RpcPeer;
  readonly transport: Transport;
  readonly agreement: Agreement;
  readonly watchResources: WatchResources;
  readonly warn: (message: string) => void;
  readonly login?: () => PendingLogin | undefined;
  /** Called once, at the start of `close`. */
  readonly onClose: () => void;
}

export function createMcpSession(options: McpSessionOptions): UpstreamSession {
  const { peer, transport, agreement, watchResources, warn } = options;
  const wantLogLevel = createLogLevel(peer, agreement);
  const turn = createAskingTurns(peer);
  const isModern = agreement.era === 'modern';
  /** Only streamable HTTP of 2026-07-28 repeats arguments in headers. */
  const repeatsParams = isModern && transport.hasReplyStreams;
  let headerParams: ReadonlyMap<string, readonly HeaderParam[]> = new Map();
  let lastRead: UpstreamDefinitions | undefined;
  let closing: Promise<void> | undefined;

  const readDefinitions = async (signal: AbortSignalLike): Promise<UpstreamDefinitions> => {
    const ask = (method: string, params: JsonObject) => peer.request(method, params, { signal });
    const definitions = await discover(ask, agreement.capabilities, warn, lastRead);
    lastRead = definitions;
    if (!repeatsParams) return definitions;
    const offered = new Map<string, readonly HeaderParam[]>();
    const refused: string[] = [];
    const tools = definitions.tools.filter((tool) => {
      const found = findHeaderParams(tool.inputSchema);
      if (found.ok) offered.set(tool.name, found.params);
      else refused.push(`"${excerpt(tool.name, 100)}" (${excerpt(found.reason, 200)})`);
      return found.ok;
    });
    if (refused.length > 0) warn(`tools/list: left out ${refused.length} by their headers: ${fewOf(refused)}`);
    headerParams = offered;
    return { ...definitions, tools };
  };

  const headersFor = ({ method, params }: UpstreamRequest): Record<string, string> => {
    const declared = method === 'tools/call' ? headerParams.get(String(params.name)) : undefined;
    const trace = traceHeaders(params);
    return declared === undefined ? trace : { ...trace, ...paramHeaders(declared, params.arguments) };
  };

  const send: UpstreamSession['request'] = (request, signal, handler, settle) => {
    const { method, params } = request;
    const headers = transport.hasReplyStreams ? headersFor(request) : noHeaders;
    peer.dispatch(method, params, { signal, headers, handler }, new WithoutEnvelope(settle));
  };

  /** One after the other, where two calls that ask could not be told apart (2025-11-25 over a pipe). */
  const needsTurn = ({ method, params }: UpstreamRequest) =>
    !isModern && !transport.hasReplyStreams && peer.mayAsk(method, params);

  return {
    protocolVersion: agreement.revision,
    ...(transport.pid === undefined ? {} : { pid: transport.pid }),
    hasTasks: isModern && isJsonObject(extensionsOf(agreement.capabilities)[tasksExtension]),
    ...(options.login === undefined ? {} : { login: options.login }),
    request(request, signal, handler, settle) {
      const isPlain =
        handler?.logLevel === undefined && !repeatsParams && (handler === undefined || !needsTurn(request));
      if (isPlain) send(request, signal, handler, settle);
      else settleWith(settle, requestInTurn(request, signal, handler));
    },
    watchResources,
    discover: readDefinitions,
    async checkHealth(signal) {
      await peer.request(isModern ? 'server/discover' : 'ping', {}, { signal });
    },
    close() {
      closing ??= (async () => {
        options.onClose();
        peer.disconnect('the session was closed');
        await transport.close();
      })();
      return closing;
    },
  };

  /** When the server has the log level, has answered what asks before it, and once more where it refused its headers. */
  async function requestInTurn(
    request: UpstreamRequest,
    signal: AbortSignalLike,
    handler: ServerRequestHandler | undefined,
  ): Promise<JsonObject> {
    if (handler?.logLevel !== undefined && !signal.aborted) {
      await wantLogLevel(handler.logLevel, signal);
      if (signal.aborted) throw new NotSent('it had not taken the level of its log messages');
    }
    const leave = handler !== undefined && needsTurn(request) ? await turn(signal) : undefined;
    const sent = () => promised<JsonObject>((settle) => send(request, signal, handler, settle));
    try {
      return await sent();
    } catch (error) {
      // The server checks headers before it does anything, so what it refused for them can be sent again.
      if (!repeatsParams || rejectionCode(error) !== rpcErrors.headerMismatch) throw error;
      await readDefinitions(signal);
      return await sent();
    } finally {
      leave?.();
    }
  }
}

/** Turns of calls that ask, each of which ends by the function that it gives. */
function createAskingTurns(peer: Pick<RpcPeer, 'noneAsks'>): (signal: AbortSignalLike) => Promise<() => void> {
  const askingCalls = createAdmissionQueue(1);
  return async (signal) => {
    try {
      const holder = permitHolder();
      await askingCalls.enter(holder, signal);
      // The first call of a tool that asks took no turn: that it asks was not known.
      await peer.noneAsks(signal).catch((reason: unknown) => {
        askingCalls.leave(holder);
        throw reason;
      });
      return () => askingCalls.leave(holder);
    } catch {
      throw new NotSent('tools of it that ask are called one by one over a pipe, and another waits for its caller');
    }
  };
}

const noHeaders: Readonly<Record<string, string>> = {};

function extensionsOf({ extensions }: JsonObject): JsonObject {
  return isJsonObject(extensions) ? extensions : {};
}

/** Hands on a result without what is of the protocol alone. */
class WithoutEnvelope implements Settle<JsonObject> {
  readonly #settle: Settle<JsonObject>;

  constructor(settle: Settle<JsonObject>) {
    this.#settle = settle;
  }

  resolve(result: JsonObject): void {
    this.#settle.resolve(withoutEnvelope(result));
  }

  reject(error: unknown): void {
    this.#settle.reject(error);
  }
}

/** Takes off what 2026-07-28 wraps around every result, so that results look alike in both eras. */
function withoutEnvelope(result: JsonObject): JsonObject {
  const isPlain =
    result.resultType !== 'complete' && !(isJsonObject(result._meta) && metaKeys.serverInfo in result._meta);
  if (isPlain) return result;
  const { resultType, _meta, ...rest } = result;
  const kept = resultType === 'complete' || resultType === undefined ? rest : { resultType, ...rest };
  if (!isJsonObject(_meta)) return _meta === undefined ? kept : { ...kept, _meta };
  const { [metaKeys.serverInfo]: _serverInfo, ...meta } = _meta;
  return Object.keys(meta).length === 0 ? kept : { ...kept, _meta: meta };
}
