// Requests of 2026-07-28: each stands for itself, so a server object is made for each and nothing is kept between them.
// What is kept is one handler for each profile, with the subscriptions that are open at it.
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { JsonValue } from '@portico/contracts';
import type { Caller } from '@portico/control-plane';
import { findResource, qualifiedUri } from '../catalog/resource-uris.js';
import type { Announcer, Audience } from '../changes/announcer.js';
import { isListen, watchListened } from '../changes/listened-resources.js';
import type { McpFacadeDeps } from '../deps.js';
import { answersMethod, buildBareServer, buildServer, type SurfaceOf } from '../server/build-server.js';
import { createWatches } from '../server/watches.js';
import { onBodyEnd } from './body-end.js';
import type { McpHttpOptions } from './options.js';

export interface ModernEndpoint {
  handle(request: Request, body: JsonValue | undefined, caller: Caller): Promise<Response>;
  /** Ends every subscription and every request. */
  close(): Promise<void>;
}

export function createModernEndpoint(
  deps: McpFacadeDeps,
  surfaceOf: SurfaceOf,
  announcer: Announcer,
  options: McpHttpOptions,
): ModernEndpoint {
  const handlers = new Map<string | null, McpHttpHandler>();

  const handlerOf = (caller: Caller): McpHttpHandler => {
    const known = handlers.get(caller.profile);
    if (known !== undefined) return known;
    const made = createHandler(deps, surfaceOf, caller, options);
    handlers.set(caller.profile, made);
    announcer.add(audienceOf(made, deps, surfaceOf, caller));
    return made;
  };

  return {
    async handle(request, body, caller) {
      const handler = handlerOf(caller);
      if (!isListen(body)) return handler.fetch(request, { parsedBody: body });
      const watches = createWatches(deps.plane, caller, () => surfaceOf(caller.profile));
      try {
        const parsedBody = await watchListened(body, watches);
        return onBodyEnd(await handler.fetch(request, { parsedBody }), watches.close);
      } catch (error) {
        watches.close();
        throw error;
      }
    },
    async close() {
      await Promise.all([...handlers.values()].map((handler) => handler.close()));
    },
  };
}

function createHandler(
  deps: McpFacadeDeps,
  surfaceOf: SurfaceOf,
  caller: Caller,
  options: McpHttpOptions,
): McpHttpHandler {
  const connection = { era: 'modern', caller, capabilities: () => ({}), logLevel: () => '' } as const;
  const input = { deps, surfaceOf, connection };
  // The header was compared with the body before. A method of nobody's must reach nobody: only then is it a 404.
  const factory = ({ requestInfo }: { readonly requestInfo?: Request }) =>
    answersMethod(requestInfo?.headers.get('mcp-method')?.trim() ?? null) ? buildServer(input) : buildBareServer(input);
  return createMcpHandler(factory, {
    legacy: 'reject',
    keepAliveMs: options.sseKeepAliveMs ?? 0,
    responseMode: options.jsonResponse ? 'auto' : 'sse',
    onerror: (error) => deps.log('debug', 'a request over MCP was refused', { reason: error.message }),
  });
}

function audienceOf(
  { notify }: McpHttpHandler,
  { plane }: McpFacadeDeps,
  surfaceOf: SurfaceOf,
  caller: Caller,
): Audience {
  const tellList = { tools: notify.toolsChanged, resources: notify.resourcesChanged, prompts: notify.promptsChanged };
  return {
    tellListChanged: (kind) => tellList[kind](),
    tellResourceUpdated(server, uri) {
      const { view } = surfaceOf(caller.profile);
      if (!view.hasServer(server)) return;
      const place = findResource(plane.state(), view, uri);
      if (place.kind === 'found' && place.server === server) notify.resourceUpdated(uri);
      notify.resourceUpdated(qualifiedUri(server, uri));
    },
    tellMessage() {}, // a client of 2026-07-28 hears log messages with its requests only
  };
}
