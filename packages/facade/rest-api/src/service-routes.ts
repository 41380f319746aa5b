// How the service and its upstreams are doing, and the document that describes the interface.
import type { CatalogView } from '@portico/catalog-core';
import { lastLineMark, openApiDocument, PorticoError, type ServerInfo } from '@portico/contracts';
import type { ControlPlane } from '@portico/control-plane';
import { isLocalRole } from '@portico/policy-engine';
import type { Context, Hono } from 'hono';
import { respond, send } from './answer.js';
import { createDefinitionTokens } from './definition-tokens.js';
import { identityOf, isSomebody, roleViewerOf } from './request.js';
import { exchangeOf } from './web-exchange.js';

export interface ServiceDeps {
  readonly plane: ControlPlane;
  readonly version: string;
  /** Rejects when the durable state or the audit log cannot be used. */
  readonly checkState: () => Promise<void>;
  readonly metrics: () => Promise<MetricsText>;
}

/** Metrics as Prometheus reads them. */
export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

export function addServiceRoutes(app: Hono, { plane, version, checkState, metrics }: ServiceDeps): void {
  const definitionTokens = createDefinitionTokens();
  let openApi: string | undefined; // made when first asked for: a start should not wait for it

  const serversFor = (c: Context) => {
    const viewer = roleViewerOf(exchangeOf(c));
    const view = plane.view(viewer, 'tool');
    const shown = plane.servers().filter(({ id }) => view.showsServer(id));
    return plane.state().policy.isAdmin(viewer.role) ? shown : shown.map((server) => narrowServer(view, server));
  };

  app.get('/healthz', () => send('{"ok":true}', 200));

  app.get('/readyz', async (c) => {
    try {
      await checkState();
      plane.lock.mustBeUsable();
    } catch (error) {
      throw new Unready(isSomebody(exchangeOf(c)) ? error : 'callers with a role get the reason');
    }
    if (!isSomebody(exchangeOf(c))) return send('{"ok":true}', 200);
    const servers = Object.fromEntries(serversFor(c).map(({ id, status }) => [id, status]));
    return send(JSON.stringify({ ok: true, servers }), 200);
  });

  app.get('/v1/access', (c) => {
    const { role, actor } = identityOf(exchangeOf(c));
    const named = role !== null && isLocalRole(role) ? null : role;
    return send(JSON.stringify({ ok: true, role: named, actor, admin: plane.state().policy.isAdmin(role) }), 200);
  });

  app.get('/metrics', async () => {
    const { contentType, text } = await metrics();
    return respond(text, 200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
  });

  app.get('/v1/openapi.json', () => {
    openApi ??= JSON.stringify(openApiDocument(version));
    return send(openApi, 200);
  });

  app.get('/v1/servers', (c) => {
    const { servers: known, policy } = plane.state();
    const isAdmin = policy.isAdmin(roleViewerOf(exchangeOf(c)).role);
    const servers = serversFor(c).map((server) => {
      const entries = isAdmin ? known.get(server.id) : undefined;
      return entries === undefined ? server : { ...server, definition_tokens: definitionTokens(entries) };
    });
    plane.renewLogins(); // who reads this is looking for the links
    return send(JSON.stringify({ ok: true, servers }), 200);
  });

  app.get('/v1/servers/:id/logs', (c) => {
    const server = c.req.param('id');
    const lines = plane.serverLogs(server);
    if (lines === undefined) throw new PorticoError('RESOURCE_NOT_FOUND', `no server "${server}"`);
    return send(JSON.stringify({ ok: true, server, lines }), 200);
  });
}

/** The part of a server that a role sees: the counts of its view, and nothing that only operators need. */
function narrowServer(
  view: CatalogView,
  { pid: _pid, login_url: _link, last_line: line, ...server }: ServerInfo,
): ServerInfo {
  const countIn = (entries: readonly { readonly server: string }[]) =>
    entries.filter((entry) => entry.server === server.id).length;
  const { last_error: error } = server;
  const bare = line === undefined ? error : error?.slice(0, error.length - line.length - lastLineMark.length);
  return {
    ...server,
    ...(bare === undefined ? {} : { last_error: bare }),
    tools: countIn(view.capabilities),
    resources: countIn(view.resources),
    prompts: countIn(view.prompts),
  };
}

/** Answered with 503: the process is up, but nothing that has to be durable would be. */
export class Unready extends PorticoError {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super('INTERNAL_ERROR', `not ready: ${reason}`, { cause });
  }
}
