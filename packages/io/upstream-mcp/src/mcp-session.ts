// A live session behind the pool's port: calls, lists, health and the end of it, alike for both eras and all transports.
import { isJsonObject, type JsonObject, type UpstreamDefinitions } from '@portico/contracts';
import type { UpstreamRequest, UpstreamSession } from '@portico/upstream-pool';
import { discover, fewOf } from './discover.js';
import { excerpt, rejectionCode } from './failures.js';
import { traceHeaders } from './mcp-headers.js';
import type { Agreement } from './negotiate.js';
import { findHeaderParams, type HeaderParam, paramHeaders } from './param-headers.js';
import type { RpcPeer } from './rpc-peer.js';
import type { Transport } from './transport.js';
import { metaKeys, rpcErrors } from './wire.js';

export interface McpSessionOptions {
  readonly peer: RpcPeer;
  readonly transport: Transport;
  readonly agreement: Agreement;
  readonly warn: (message: string) => void;
  /** Called once, at the start of `close`. */
  readonly onClose: () => void;
}

export function createMcpSession(options: McpSessionOptions): UpstreamSession {
  const { peer, transport, agreement, warn } = options;
  const isModern = agreement.era === 'modern';
  /** Only streamable HTTP of 2026-07-28 repeats arguments in headers. */
  const repeatsParams = isModern && transport.hasReplyStreams;
  let headerParams: ReadonlyMap<string, readonly HeaderParam[]> = new Map();
  let lastRead: UpstreamDefinitions | undefined;
  let closing: Promise<void> | undefined;

  const readDefinitions = async (signal: AbortSignal): Promise<UpstreamDefinitions> => {
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

  const send = async (request: UpstreamRequest, signal: AbortSignal): Promise<JsonObject> =>
    withoutEnvelope(await peer.request(request.method, request.params, { signal, headers: headersFor(request) }));

  return {
    protocolVersion: agreement.revision,
    ...(transport.pid === undefined ? {} : { pid: transport.pid }),
    async request(request, signal) {
      try {
        return await send(request, signal);
      } catch (error) {
        // The server checks headers before it does anything, so what it refused for them can be sent again.
        if (!repeatsParams || rejectionCode(error) !== rpcErrors.headerMismatch) throw error;
        await readDefinitions(signal);
        return send(request, signal);
      }
    },
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
