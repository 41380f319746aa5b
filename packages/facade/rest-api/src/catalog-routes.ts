// Lists, describe and search. The answer with a list is made once per view, its body as bytes, and then sent as it is.
import { type CatalogView, type ListName, listDocument } from '@portico/catalog-core';
import { type SearchAnswer, type SearchResponse, searchRequestSchema } from '@portico/contracts';
import type { CallKind, ControlPlane } from '@portico/control-plane';
import { answerEmpty, answerJson, answerShared } from './answer.js';
import { matchesEtag, quoteEtag } from './etag.js';
import type { Answer, Exchange, ExchangeRoute, HeaderRecord } from './exchange.js';
import { callerOf, readBody } from './request.js';

const lists: readonly { readonly name: ListName; readonly kind: CallKind }[] = [
  { name: 'capabilities', kind: 'tool' },
  { name: 'resources', kind: 'resource' },
  { name: 'prompts', kind: 'prompt' },
];

type Validated = Pick<CatalogView, 'etag' | 'cacheScope'>;

/** A client may keep the answer, a shared cache only what is the same for every caller; both ask again before they use it. */
function cachingHeaders({ etag, cacheScope }: Validated): HeaderRecord {
  return { ETag: quoteEtag(etag), 'Cache-Control': cacheScope === 'private' ? 'private, no-cache' : 'no-cache' };
}

function answerUnchanged(found: Validated): Answer {
  return answerEmpty(304, cachingHeaders(found));
}

export function catalogRoutes(plane: ControlPlane): readonly ExchangeRoute[] {
  const wholes = new WeakMap<CatalogView, Partial<Record<ListName, Answer>>>();
  const encoder = new TextEncoder();

  /** The most frequent answer: most clients request an unchanged list again and again. */
  const unchanged = new WeakMap<CatalogView, Answer>();
  const unchangedOf = (view: CatalogView): Answer => {
    const answer = unchanged.get(view) ?? answerUnchanged(view);
    unchanged.set(view, answer);
    return answer;
  };

  const wholeOf = (view: CatalogView, name: ListName): Answer => {
    const known = wholes.get(view) ?? {};
    if (known[name] !== undefined) return known[name];
    const body = encoder.encode(JSON.stringify(listDocument(view, name)));
    const whole = answerShared(body, 200, cachingHeaders(view));
    wholes.set(view, { ...known, [name]: whole });
    return whole;
  };

  const answerConditional = (x: Exchange, found: Validated, unchanged: Answer, whole: () => Answer): Answer => {
    const isUnchanged = matchesEtag(x.headers['if-none-match'], found.etag);
    plane.catalogAsked(isUnchanged);
    return isUnchanged ? unchanged : whole();
  };

  const listRoutes = lists.map(
    ({ name, kind }): ExchangeRoute => ({
      method: 'GET',
      path: `/v1/${name}`,
      handle(x) {
        const view = plane.view(callerOf(x), kind);
        return answerConditional(x, view, unchangedOf(view), () => wholeOf(view, name));
      },
    }),
  );

  const search: ExchangeRoute = {
    method: 'POST',
    path: '/v1/capabilities/search',
    async handle(x) {
      const request = await readBody(x, searchRequestSchema);
      return answerJson(JSON.stringify(toSearchResponse(await plane.search(callerOf(x), request))), 200);
    },
  };

  const describe: ExchangeRoute = {
    method: 'GET',
    path: '/v1/capabilities/{id}',
    handle(x, id) {
      const described = plane.describe(callerOf(x), id);
      const { capability } = described;
      const unchanged = answerUnchanged(described);
      return answerConditional(x, described, unchanged, () =>
        answerJson(JSON.stringify({ version: 'v1', capability }), 200, cachingHeaders(described)),
      );
    },
  };

  return [...listRoutes, search, describe];
}

/** The fields of the route: why a hit is there is for agents, which are given it by `capability_search`. */
function toSearchResponse({ version, catalog_version, capabilities }: SearchAnswer): SearchResponse {
  return { version, catalog_version, capabilities: capabilities.map(({ why: _, ...item }) => item) };
}
