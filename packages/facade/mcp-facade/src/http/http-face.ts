// The endpoint that MCP clients talk to over HTTP: checks who asks, reads the body once, and hands the request to its era.
import { isLegacyRequest } from '@modelcontextprotocol/server';
import { isJsonObject, type JsonValue, PorticoError } from '@portico/contracts';
import { type Caller, CallSource, type Connection, createStanding, parseTraceParent } from '@portico/control-plane';
import type { Announcer } from '../changes/announcer.js';
import { isListen } from '../changes/listened-resources.js';
import type { McpFacadeDeps } from '../deps.js';
import type { SurfaceOf } from '../server/build-server.js';
import { readBody } from './body.js';
import { endUnless, onBodyEnd } from './body-end.js';
import { allowReading, preflight, readingOrigin } from './cors.js';
import { createExactResponses } from './exact-responses.js';
import { type AccessRefusal, admit, refusePlace } from './guard.js';
import { HeldBytes } from './held-bytes.js';
import { createModernEndpoint } from './modern.js';
import { createNodeFace, type ServeNode } from './node-face.js';
import type { McpHttpOptions } from './options.js';
import { protectedResource } from './protected-resource.js';
import { refusedCode, rpcRefusal } from './replies.js';
import { createSessions, refuseLost } from './sessions.js';

/** Values that Hono's adapter for Node adds to a request; absent for a request of this process. */
export interface NodeEnvironment {
  readonly incoming?: { readonly socket: Connection };
}

export interface McpHttp {
  /** For the listener to serve. */
  fetch(request: Request, env?: NodeEnvironment): Promise<Response>;
  /** Answers a plain call of a tool straight from node:http; false leaves a request untouched for `fetch`. */
  readonly serveNode: ServeNode;
  /** Bytes of event streams that wait for a connection and that its socket has not been given yet. */
  readonly heldFor: (connection: object) => number;
  /** Ends every session, subscription and stream. */
  close(): Promise<void>;
}

const paths = ['/', '/mcp'];
const internalError = -32603;
/** Until a request says who sends it. */
const unnamed = new CallSource({ channel: 'mcp-http' });

export function createMcpHttp(
  deps: McpFacadeDeps,
  surfaceOf: SurfaceOf,
  announcer: Announcer,
  options: McpHttpOptions,
): McpHttp {
  const exact = createExactResponses(deps.randomHex(32));
  const held = new HeldBytes();
  const sessions = createSessions(deps, surfaceOf, announcer, exact, options, held);
  const modern = createModernEndpoint(deps, surfaceOf, announcer, exact, options);

  const serve = async (request: Request, connection: Connection | undefined): Promise<Response> => {
    const origin = readingOrigin(options, request.headers);
    if (origin === undefined) return answer(request, connection);
    const isAsked = request.method === 'OPTIONS' && refusePlace(options, request.headers) === undefined;
    return allowReading(isAsked ? preflight(request.headers) : await answer(request, connection), origin);
  };

  const answer = async (request: Request, connection: Connection | undefined): Promise<Response> => {
    const url = new URL(request.url);
    const misplaced = refusePlace(options, request.headers);
    if (misplaced !== undefined) return refuse(deps, request, url.pathname, misplaced);
    const jwt = options.jwt();
    const resource = jwt && protectedResource(jwt, url.host);
    if (resource?.isMetadataPath(url.pathname) && request.method === 'GET') return resource.metadata();
    const admission = await admit(options, request.headers, resource?.metadataUrl ?? null, connection);
    if (admission.kind === 'refused') return refuse(deps, request, url.pathname, admission.refusal);
    if (!paths.includes(url.pathname)) return notFound(`no path ${url.pathname}; the endpoint is /mcp`);
    if (!['GET', 'POST', 'DELETE'].includes(request.method)) return notAllowed(request.method);
    const profile = request.headers.get('X-Service-Profile') ?? url.searchParams.get('profile') ?? options.profile;
    const caller = { ...admission.identity, source: unnamed, profile };
    if (!isServed(deps, caller, options)) return notFound(`no profile "${profile}"`);
    if (request.method === 'GET') return stream(request, undefined, caller, connection);
    if (request.method !== 'POST') return dispatch(request, undefined, caller);
    const body = await readBody(request);
    if (!body.ok) return body.refusal;
    return isListen(body.value)
      ? stream(request, body.value, caller, connection)
      : dispatch(request, body.value, caller);
  };

  const dispatch = async (request: Request, body: JsonValue | undefined, caller: Caller): Promise<Response> => {
    const isLegacy = await isLegacyRequest(request, body);
    if (isLegacy && sessions.owns(request, body)) return sessions.handle(request, body, caller);
    const lost = isLegacy ? refuseLost(request, body) : undefined;
    return lost ?? modern.handle(request, body, caller);
  };

  /** A stream of changes outlives the request: its permission is checked again before each of them. */
  const stream = async (
    request: Request,
    body: JsonValue | undefined,
    caller: Caller,
    connection: Connection | undefined,
  ): Promise<Response> => {
    const place = openStream(deps, caller);
    if (place instanceof PorticoError) return tooManyStreams(place, body);
    const authorization = request.headers.get('authorization') ?? undefined;
    try {
      const response = await dispatch(request, body, caller);
      const isGood = createStanding(options.authenticate, authorization, caller, connection);
      return onBodyEnd(endUnless(response, isGood), place);
    } catch (error) {
      place();
      throw error;
    }
  };

  const serveNode = createNodeFace({
    options,
    isServed: (caller) => isServed(deps, caller, options),
    serve: (request) => sessions.serveDirect(request) || modern.serveDirect(request),
    log: deps.log,
  });

  return {
    serveNode,
    heldFor: (connection) => held.of(connection),
    async fetch(request, env) {
      const connection = env?.incoming?.socket;
      if (connection !== undefined) held.cameBy(request, connection);
      try {
        return await serve(request, connection);
      } catch (error) {
        deps.log('error', 'a request over MCP failed from a defect', { error });
        return rpcRefusal({ status: 500, code: internalError, message: 'Internal error; the log has the details' });
      }
    },
    async close() {
      await Promise.all([sessions.close(), modern.close()]);
    },
  };
}

/** The function that ends its count, or why there is no more room. */
function openStream({ plane }: McpFacadeDeps, caller: Caller): (() => void) | PorticoError {
  try {
    return plane.openStream(caller);
  } catch (error) {
    if (error instanceof PorticoError) return error;
    throw error;
  }
}

function tooManyStreams({ message }: PorticoError, body: JsonValue | undefined): Response {
  return rpcRefusal({ status: 503, code: refusedCode, message, id: isJsonObject(body) ? body.id : null });
}

/** A listener with a profile of its own serves no other. */
function isServed({ plane }: McpFacadeDeps, caller: Caller, options: McpHttpOptions): boolean {
  if (options.profile !== null && caller.profile !== options.profile) return false;
  return plane.state().view(caller) !== undefined;
}

async function refuse(
  { plane, randomHex }: McpFacadeDeps,
  { method, headers }: Request,
  path: string,
  { status, message, headers: extra = {} }: AccessRefusal,
): Promise<Response> {
  const text = (name: string) => headers.get(name) ?? undefined;
  const trace = parseTraceParent(text('traceparent'), text('tracestate')) ?? { traceId: randomHex(32) };
  const correlation = { requestId: null, ...trace };
  const caller = { role: null, actor: null, source: unnamed };
  await plane.accessRefused({ correlation, method, path, httpStatus: status, reason: message, caller }).catch(() => {});
  return rpcRefusal({ status, code: refusedCode, message, headers: extra });
}

function notFound(message: string): Response {
  return rpcRefusal({ status: 404, code: refusedCode, message });
}

function notAllowed(method: string): Response {
  const headers = { Allow: 'GET, POST, DELETE' };
  return rpcRefusal({ status: 405, code: refusedCode, message: `${method} is not a method of this endpoint`, headers });
}
