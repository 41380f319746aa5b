// Plain calls of 2026-07-28 over HTTP, served without the SDK. Each is independent, as every request of that revision.
import type { JsonObject } from '@portico/contracts';
import type { Caller } from '@portico/control-plane';
import type { Connection } from '../calls/connection.js';
import type { FirstWait } from '../calls/first-wait.js';
import type { ListedTool } from '../catalog/tool-table.js';
import type { McpFacadeDeps } from '../deps.js';
import { createDirectCalls } from '../direct/direct-calls.js';
import type { KnownEnvelopes } from '../direct/known-envelopes.js';
import { toPlainCall } from '../direct/plain-call.js';
import type { SurfaceOf } from '../server/build-server.js';
import type { PlainRequest } from './node-face.js';
import { NodeReply, replyHeadsWith, writePlainHead } from './node-reply.js';
import type { McpHttpOptions } from './options.js';

export interface ModernDirect {
  serve(request: PlainRequest): boolean;
  close(): void;
}

const version = '2026-07-28';
const missingCapability = -32021;

export function modernConnection(caller: Caller, firstWait: FirstWait): Connection {
  return { era: 'modern', caller, capabilities: () => ({}), logLevel: () => '', firstWait };
}

export function createModernDirect(
  deps: McpFacadeDeps,
  surfaceOf: SurfaceOf,
  known: KnownEnvelopes,
  firstWait: FirstWait,
  { sseKeepAliveMs, jsonResponse, writeHead = writePlainHead }: McpHttpOptions,
): ModernDirect {
  const calls = createDirectCalls({ deps, surfaceOf });
  let isClosed = false;
  const hasParamHeaders = createParamHeaderCheck();
  const reply = {
    heads: replyHeadsWith({}),
    writeHead,
    keepAliveMs: sseKeepAliveMs ?? 0,
    pingsFromStart: false,
    isAlwaysStream: !jsonResponse,
    endWithout: 499,
    statusOf: (code: number) => (code === missingCapability ? 400 : 200),
  } as const;

  return {
    serve({ message, headers, caller, outgoing }) {
      if (isClosed) return false;
      if (headers.get('mcp-protocol-version') !== version || headers.get('mcp-method') !== 'tools/call') return false;
      const name = headers.get('mcp-name');
      if (name === null || !/^[\w./:-]+$/.test(name) || headers.get('mcp-session-id') !== null) return false;
      const call = toPlainCall(message, 'modern', known);
      if (call?.params.name !== name || hasParamHeaders(surfaceOf(caller).tools().get(name))) return false;
      const wire = new NodeReply(outgoing, call.id, { req: { headers } }, reply, (isComplete) => {
        if (!isComplete) calls.abandon(wire);
      });
      calls.run(call, wire, modernConnection({ ...caller, source: call.source }, firstWait));
      return true;
    },
    close() {
      isClosed = true;
      calls.close();
    },
  };
}

/** Whether arguments of a tool are repeated in headers, which the SDK compares (MCP 2026-07-28, `x-mcp-header`). */
function createParamHeaderCheck(): (tool: ListedTool | undefined) => boolean {
  const known = new WeakMap<JsonObject, boolean>();
  return (tool) => {
    if (tool === undefined) return false;
    const kept = known.get(tool.definition);
    if (kept !== undefined) return kept;
    const has = JSON.stringify(tool.definition.inputSchema ?? {}).includes('"x-mcp-header"');
    known.set(tool.definition, has);
    return has;
  };
}
