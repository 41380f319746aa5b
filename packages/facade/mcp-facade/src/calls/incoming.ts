// One request of a client, and who that client is: what every method of the server works with.
import {
  type RequestContext as CallerContext,
  type Correlation,
  isJsonObject,
  type JsonObject,
} from '@portico/contracts';
import { type Caller, parseTraceParent } from '@portico/control-plane';
import type { Surface } from '../catalog/surface.js';
import type { McpFacadeDeps } from '../deps.js';
import type { CallFrame } from './call-frame.js';
import type { Connection } from './connection.js';
import { listenerOf } from './listener.js';
import type { RequestContext } from './request-context.js';

export interface Incoming {
  readonly deps: McpFacadeDeps;
  readonly connection: Connection;
  /** The client's view when the request came or was to be served. */
  readonly surface: Surface;
  readonly surfaceOf: (caller: Caller) => Surface;
  readonly params: JsonObject;
  readonly context: RequestContext;
}

export function frameOf({ connection, context }: Incoming): CallFrame {
  const { signal, inputResponses } = context.mcpReq;
  const requestState = context.mcpReq.requestState();
  const { client, end } = listenerOf(connection, context);
  const frame = { caller: connection.caller, signal, approvalWaitMs: 0, client, end };
  if (inputResponses === undefined && typeof requestState !== 'string') return frame;
  return {
    ...frame,
    // The answers are JSON, as the whole message is.
    ...(inputResponses === undefined ? {} : { inputResponses: inputResponses as unknown as JsonObject }),
    ...(typeof requestState === 'string' ? { requestState } : {}),
  };
}

export interface CorrelatedArguments {
  readonly request_id?: string | null | undefined;
  readonly context?: CallerContext | null | undefined;
}

/** `_meta` names the trace (MCP 2026-07-28, basic, `_meta`), else the header of the HTTP request, else it is a new one. */
export function correlationOf({ deps, context }: Incoming, args: CorrelatedArguments = {}): Correlation {
  const meta: unknown = context.mcpReq._meta;
  const headers = context.http?.req?.headers;
  const text = (name: string) => {
    const value = isJsonObject(meta) ? meta[name] : undefined;
    return typeof value === 'string' ? value : (headers?.get(name) ?? undefined);
  };
  const trace = parseTraceParent(text('traceparent'), text('tracestate')) ?? { traceId: deps.randomHex(32) };
  const own = args.context ?? undefined;
  return { requestId: args.request_id || null, ...trace, ...(own === undefined ? {} : { context: own }) };
}
