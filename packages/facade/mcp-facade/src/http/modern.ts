// Requests of 2026-07-28: each is independent, so a server object is made for each and dropped afterwards. One handler
// for each profile and role is kept, with its open subscriptions.
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { JsonObject, JsonValue } from '@portico/contracts';
import type { Caller } from '@portico/control-plane';
import type { Viewer } from '@portico/policy-engine';
import type { Connection } from '../calls/connection.js';
import { createFirstWait } from '../calls/first-wait.js';
import { findResource, qualifiedUri } from '../catalog/resource-uris.js';
import type { Announcer, Audience } from '../changes/announcer.js';
import { isListen, watchListened } from '../changes/listened-resources.js';
import type { McpFacadeDeps } from '../deps.js';
import { createKnownEnvelopes, type KnownEnvelopes } from '../direct/known-envelopes.js';
import { answersMethod, buildBareServer, buildServer, type SurfaceOf } from '../server/build-server.js';
import { createWatches } from '../server/watches.js';
import { onBodyEnd } from './body-end.js';
import type { ExactResponses } from './exact-responses.js';
import { createModernDirect, modernConnection } from './modern-direct.js';
import type { PlainRequest } from './node-face.js';
import type { McpHttpOptions } from './options.js';

export interface ModernEndpoint {
  handle(request: Request, body: JsonValue | undefined, caller: Caller): Promise<Response>;
  /** Serves a plain call without the SDK, or leaves it by false. */
  serveDirect(request: PlainRequest): boolean;
  /** Ends every subscription and every request. */
  close(): Promise<void>;
}

export function createModernEndpoint(
  deps: McpFacadeDeps,
  surfaceOf: SurfaceOf,
  announcer: Announcer,
  exact: ExactResponses,
  options: McpHttpOptions,
): ModernEndpoint {
  const served = new Map<string, Served>();
  const envelopes = createKnownEnvelopes('mcp-http');
  const firstWait = createFirstWait(deps.plane); // no client stays, so they share their patience
  const direct = createModernDirect(deps, surfaceOf, envelopes, firstWait, options);
  const toConnection = (request: Request | undefined) => modernConnection(callerOf(request), firstWait);

  const callers = new WeakMap<Request, Caller>();
  const callerOf = (request: Request | undefined): Caller => {
    const caller = request && callers.get(request);
    if (caller === undefined) throw new Error('a request over MCP came without an actor');
    return caller;
  };

  const handlerOf = (caller: Caller): McpHttpHandler => {
    const key = JSON.stringify([caller.profile, caller.role]);
    const known = served.get(key);
    if (known !== undefined) return known.handler;
    endGone();
    const handler = createHandler(deps, surfaceOf, toConnection, envelopes, exact, options);
    const audience = audienceOf(handler, deps, caller, () => endGone());
    served.set(key, { viewer: caller, handler, audience });
    announcer.add(audience);
    return handler;
  };

  /** Their subscriptions end with them: there are no more changes to report. */
  const endGone = () => {
    for (const [key, { viewer, handler, audience }] of served) {
      if (deps.plane.state().view(viewer) !== undefined) continue;
      served.delete(key);
      announcer.remove(audience);
      void handler.close();
    }
  };

  return {
    async handle(request, body, caller) {
      const handler = handlerOf(caller);
      callers.set(request, caller);
      const serve = (parsedBody: JsonValue | undefined) => handler.fetch(request, { parsedBody });
      if (!isListen(body)) return exact.restore(await serve(body));
      const watches = createWatches(deps.plane, caller, () => surfaceOf(caller));
      try {
        return onBodyEnd(await serve(await watchListened(body, watches)), watches.close);
      } catch (error) {
        watches.close();
        throw error;
      }
    },
    serveDirect: direct.serve,
    async close() {
      direct.close();
      await Promise.all([...served.values()].map(({ handler }) => handler.close()));
    },
  };
}

interface Served {
  readonly viewer: Viewer;
  readonly handler: McpHttpHandler;
  readonly audience: Audience;
}

function createHandler(
  deps: McpFacadeDeps,
  surfaceOf: SurfaceOf,
  toConnection: (request: Request | undefined) => Connection,
  known: KnownEnvelopes,
  exact: ExactResponses,
  options: McpHttpOptions,
): McpHttpHandler {
  // The header was compared with the body before. An unknown method must not reach a handler: only then is it a 404.
  const factory = ({ requestInfo }: { readonly requestInfo?: Request }) => {
    const connection = toConnection(requestInfo);
    const onRequest = (envelope: JsonObject | undefined) => envelope && known.add(envelope);
    const input = { deps, surfaceOf, connection, onRequest };
    const isKnown = answersMethod(requestInfo?.headers.get('mcp-method')?.trim() ?? null);
    if (!isKnown) return buildBareServer(input);
    const mcp = buildServer(input);
    const connect = mcp.connect.bind(mcp);
    mcp.connect = (transport) => connect(exact.mark(transport));
    return mcp;
  };
  return createMcpHandler(factory, {
    legacy: 'reject',
    keepAliveMs: options.sseKeepAliveMs ?? 0,
    responseMode: options.jsonResponse ? 'auto' : 'sse',
    onerror: (error) => deps.log('debug', 'a request over MCP was refused', { reason: error.message }),
  });
}

/** @param onGone called if there is an event and the profile or the role no longer exists */
function audienceOf(
  { notify }: McpHttpHandler,
  { plane }: McpFacadeDeps,
  viewer: Viewer,
  onGone: () => void,
): Audience {
  const listNotifications = {
    tools: notify.toolsChanged,
    resources: notify.resourcesChanged,
    prompts: notify.promptsChanged,
  };
  return {
    sendListChanged(kind) {
      if (plane.state().view(viewer) === undefined) onGone();
      else listNotifications[kind]();
    },
    sendResourceUpdated(server, uri) {
      const state = plane.state();
      const view = state.view(viewer);
      if (view === undefined) return onGone();
      if (!view.showsServer(server)) return;
      const place = findResource(state, view, uri);
      if (place.kind === 'found' && place.server === server) notify.resourceUpdated(uri);
      notify.resourceUpdated(qualifiedUri(server, uri));
    },
    sendLogMessage() {}, // a client of 2026-07-28 receives log messages with its requests only
  };
}
