// Lists, describe and search. Lists are serialised once per view and then sent as they are.
import { type CatalogView, type ListName, listDocument } from '@portico/catalog-core';
import { searchRequestSchema } from '@portico/contracts';
import type { CallKind, ControlPlane } from '@portico/control-plane';
import type { Context, Hono } from 'hono';
import { send } from './answer.js';
import { readBody } from './body.js';
import { profileOf } from './caller.js';
import { matchesEtag, quoteEtag } from './etag.js';

const lists: readonly { readonly name: ListName; readonly kind: CallKind }[] = [
  { name: 'capabilities', kind: 'tool' },
  { name: 'resources', kind: 'resource' },
  { name: 'prompts', kind: 'prompt' },
];

export function addCatalogRoutes(app: Hono, plane: ControlPlane): void {
  const bodies = new WeakMap<CatalogView, Partial<Record<ListName, string>>>();

  const bodyOf = (view: CatalogView, name: ListName): string => {
    const known = bodies.get(view) ?? {};
    const body = known[name] ?? JSON.stringify(listDocument(view, name));
    bodies.set(view, { ...known, [name]: body });
    return body;
  };

  const sendConditional = (c: Context, etag: string, body: () => string): Response => {
    const headers = { ETag: quoteEtag(etag) };
    const isUnchanged = matchesEtag(c.req.header('If-None-Match'), etag);
    plane.catalogAsked(isUnchanged);
    return isUnchanged ? c.body(null, 304, headers) : send(c, body(), 200, headers);
  };

  for (const { name, kind } of lists) {
    app.get(`/v1/${name}`, (c) => {
      const view = plane.view(profileOf(c), kind);
      return sendConditional(c, view.etag, () => bodyOf(view, name));
    });
  }

  app.post('/v1/capabilities/search', async (c) => {
    const request = await readBody(c, searchRequestSchema);
    return send(c, JSON.stringify(plane.search(profileOf(c), request)), 200);
  });

  // Ids hold any character, slashes and line breaks included.
  app.get('/v1/capabilities/:id{[^]+}', (c) => {
    const { capability, etag } = plane.describe(profileOf(c), c.req.param('id'));
    return sendConditional(c, etag, () => JSON.stringify({ version: 'v1', capability }));
  });
}
