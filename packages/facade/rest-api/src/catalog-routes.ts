// Lists, describe and search. Lists become bytes once per view and are then sent as they are.
import { type CatalogView, type ListName, listDocument } from '@portico/catalog-core';
import { searchRequestSchema } from '@portico/contracts';
import type { CallKind, ControlPlane } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { type Bytes, respond, send } from './answer.js';
import { readBody } from './body.js';
import { callerOf } from './caller.js';
import { matchesEtag, quoteEtag } from './etag.js';

const lists: readonly { readonly name: ListName; readonly kind: CallKind }[] = [
  { name: 'capabilities', kind: 'tool' },
  { name: 'resources', kind: 'resource' },
  { name: 'prompts', kind: 'prompt' },
];

export function addCatalogRoutes(app: Hono, plane: ControlPlane): void {
  const bodies = new WeakMap<CatalogView, Partial<Record<ListName, Bytes>>>();
  const encoder = new TextEncoder();

  const bodyOf = (view: CatalogView, name: ListName): Bytes => {
    const known = bodies.get(view) ?? {};
    const body = known[name] ?? encoder.encode(JSON.stringify(listDocument(view, name)));
    bodies.set(view, { ...known, [name]: body });
    return body;
  };

  /** It may be kept, but by nobody else where it is somebody's own, and is asked about again before it is used. */
  const sendConditional = (
    c: Context,
    { etag, cacheScope }: Pick<CatalogView, 'etag' | 'cacheScope'>,
    body: () => string | Bytes,
  ): Response => {
    const headers = {
      ETag: quoteEtag(etag),
      'Cache-Control': cacheScope === 'private' ? 'private, no-cache' : 'no-cache',
    };
    const isUnchanged = matchesEtag(c.req.header('If-None-Match'), etag);
    plane.catalogAsked(isUnchanged);
    return isUnchanged ? respond(null, 304, headers) : send(body(), 200, headers);
  };

  for (const { name, kind } of lists) {
    app.get(`/v1/${name}`, (c) => {
      const view = plane.view(callerOf(c), kind);
      return sendConditional(c, view, () => bodyOf(view, name));
    });
  }

  app.post('/v1/capabilities/search', async (c) => {
    const request = await readBody(c, searchRequestSchema);
    return send(JSON.stringify(await plane.search(callerOf(c), request)), 200);
  });

  // Ids hold any character, slashes and line breaks included.
  app.get('/v1/capabilities/:id{[^]+}', (c) => {
    const described = plane.describe(callerOf(c), c.req.param('id'));
    const { capability } = described;
    return sendConditional(c, described, () => JSON.stringify({ version: 'v1', capability }));
  });
}
