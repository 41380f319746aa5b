// A live session behind the pool's port: calls, lists, health and the end of it, alike for both eras and all transports.
import type { AbortSignalLike } from '@portico/async';
import {
  isJsonObject,
  type JsonObject,
  type ServerAbout,
  tasksExtension,
  type UpstreamDefinitions,
} from '@portico/contracts';
import {
  NotSent,
  type PendingLogin,
  type ServerRequestHandler,
  type SettleResult,
  type UpstreamRequest,
  type UpstreamSession,
} from '@portico/upstream-pool';
import { discover, fewOf, listingStage } from './discover.js';
import { excerpt, rejectionCode } from './failures.js';
import { createLogLevel } from './log-level.js';
import { traceHeaders } from './mcp-headers.js';
import type { Agreement } from './negotiate.js';
import { findHeaderParams, type HeaderParam, paramHeaders } from './param-headers.js';
import type { Send } from './pool-member.js';
import type { ProcessPool } from './process-pool.js';
import type { WatchResources } from './resource-watch.js';
import type { RpcPeer } from './rpc-peer.js';
import type { KnownSecrets } from './secrets/known-secrets.js';
import { maskFailure, maskHandler } from './secrets/mask.js';
import type { InStage } from './server-work.js';
import type { Transport } from './transport.js';
import { rpcErrors } from './wire.js';

export interface McpSessionOptions {
  readonly peer: RpcPeer;
  readonly transport: Transport;
  readonly agreement: Agreement;
  readonly watchResources: WatchResources;
  readonly warn: (message: string) => void;
  /**
   * Secrets that are masked in the server's messages about itself. Results and definitions are the server's own and
   * pass unchanged.
   */
  readonly secrets: KnownSecrets;
  readonly inStage: InStage;
  /** Passed on with the definitions. */
  readonly about?: ServerAbout;
  readonly login?: () => PendingLogin | undefined;
  /** Called once, at the start of `close`. */
  readonly onClose: () => void;
  /**
   * The processes among which calls are spread once the server has asked something; none if each question says whose it
   * is, and for a process that is one of them.
   */
  readonly poolOf?: (send: Send) => ProcessPool;
}

export interface McpSession extends UpstreamSession {
  /** With `onSent` by this very connection. */
  readonly request: Send;
}

export function createMcpSession(options: McpSessionOptions): McpSession {
  const { peer, transport, agreement, watchResources, warn, secrets, inStage } = options;
  const wantLogLevel = createLogLevel(peer, agreement);
  const isModern = agreement.era === 'modern';
  const { hasReplyStreams } = transport;
  /** Only streamable HTTP of 2026-07-28 repeats arguments in headers. */
  const repeatsParams = isModern && hasReplyStreams;
  let headerParams: ReadonlyMap<string, readonly HeaderParam[]> = new Map();
  let lastRead: UpstreamDefinitions | undefined;
  let closing: Promise<void> | undefined;

  const readDefinitions = async (signal: AbortSignalLike): Promise<UpstreamDefinitions> => {
    const ask = (method: string, params: JsonObject) => peer.request(method, params, { signal });
    const definitions = await discover(ask, agreement.capabilities, warn, lastRead, inStage);
    lastRead = definitions;
    if (!repeatsParams) return definitions;
    const { tools, params } = inStage(listingStage, () => withHeaderParams(definitions.tools, warn));
    headerParams = params;
    return { ...definitions, tools };
  };

  // Over a pipe a call passes no function for them.
  const headersFor = hasReplyStreams ? (request: UpstreamRequest) => headersOf(request, headerParams) : undefined;

  const toFailure = (error: unknown) => maskFailure(error, secrets);
  const masked = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw toFailure(error);
    });

  const request: Send = (request, signal, handler, settle, onSent) => {
    if (pool !== undefined && peer.memory.kinds.size > 0 && handler !== undefined && onSent === undefined)
      return pool.send(request, signal, handler, settle);
    const { method, params } = request;
    const own = handler?.onLogMessage === undefined ? handler : maskHandler(handler, secrets);
    if (own?.logLevel !== undefined || repeatsParams)
      return settleWritten(settle, masked(requestLater(request, signal, own, onSent)));
    const headers = headersFor?.(request) ?? noHeaders;
    peer.dispatch(method, params, { signal, headers, handler: own, toFailure }, settle);
    onSent?.();
  };
  const pool = options.poolOf?.(request);

  return {
    protocolVersion: agreement.revision,
    ...(transport.pid === undefined ? {} : { pid: transport.pid }),
    hasTasks: isModern && isJsonObject(extensionsOf(agreement.capabilities)[tasksExtension]),
    ...(options.login === undefined ? {} : { login: options.login }),
    request,
    ...(pool === undefined ? {} : { processes: () => pool.size }),
    watchResources: (uris, signal) => masked(watchResources(uris, signal)),
    async discover(signal) {
      const definitions = await masked(readDefinitions(signal));
      return options.about === undefined ? definitions : { ...definitions, about: options.about };
    },
    async checkHealth(signal) {
      await masked(peer.request(isModern ? 'server/discover' : 'ping', {}, { signal }));
    },
    close() {
      closing ??= (async () => {
        options.onClose();
        peer.disconnect('the session was closed');
        await Promise.all([transport.close(), pool?.close()]);
      })();
      return closing;
    },
  };

  /** When the server has the log level, and once more where it refused its headers. */
  async function requestLater(
    request: UpstreamRequest,
    signal: AbortSignalLike,
    handler: ServerRequestHandler | undefined,
    onSent: (() => void) | undefined,
  ): Promise<WrittenResult> {
    if (handler?.logLevel !== undefined && !signal.aborted) {
      await wantLogLevel(handler.logLevel, signal);
      if (signal.aborted) throw new NotSent('it had not taken the level of its log messages');
    }
    const { method, params } = request;
    const sent = () =>
      requestWritten(peer, method, params, { signal, headers: headersFor?.(request) ?? noHeaders, handler });
    try {
      const result = sent();
      onSent?.();
      return await result;
    } catch (error) {
      // The server checks headers before it does anything, so what it refused for them can be sent again.
      if (!repeatsParams || rejectionCode(error) !== rpcErrors.headerMismatch) throw error;
      await readDefinitions(signal);
      return await sent();
    }
  }
}

/** Fields of a request that headers repeat. */
function headersOf(
  { method, params }: UpstreamRequest,
  headerParams: ReadonlyMap<string, readonly HeaderParam[]>,
): Readonly<Record<string, string>> {
  const declared = method === 'tools/call' ? headerParams.get(String(params.name)) : undefined;
  const trace = traceHeaders(params);
  return declared === undefined ? trace : { ...trace, ...paramHeaders(declared, params.arguments) };
}

/** A result, with the text that it came as. */
interface WrittenResult {
  readonly result: JsonObject;
  readonly text: string | undefined;
}

function requestWritten(peer: RpcPeer, ...[method, params, options]: RequestArguments): Promise<WrittenResult> {
  return new Promise((resolve, reject) => {
    peer.dispatch(method, params, options, { resolve: (result, text) => resolve({ result, text }), reject });
  });
}

type RequestArguments = Parameters<RpcPeer['request']>;

function settleWritten(settle: SettleResult, work: Promise<WrittenResult>): void {
  work.then(
    ({ result, text }) => settle.resolve(result, text),
    (error: unknown) => settle.reject(error),
  );
}

/** The tools whose arguments can be repeated in headers, and which those are. */
function withHeaderParams(all: UpstreamDefinitions['tools'], warn: McpSessionOptions['warn']) {
  const params = new Map<string, readonly HeaderParam[]>();
  const refused: string[] = [];
  const tools = all.filter((tool) => {
    const found = findHeaderParams(tool.inputSchema);
    if (found.ok) params.set(tool.name, found.params);
    else refused.push(`"${excerpt(tool.name, 100)}" (${excerpt(found.reason, 200)})`);
    return found.ok;
  });
  if (refused.length > 0) warn(`tools/list: left out ${refused.length} by their headers: ${fewOf(refused)}`);
  return { tools, params };
}

const noHeaders: Readonly<Record<string, string>> = {};

function extensionsOf({ extensions }: JsonObject): JsonObject {
  return isJsonObject(extensions) ? extensions : {};
}
