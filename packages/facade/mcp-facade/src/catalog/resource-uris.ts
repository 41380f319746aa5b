// Resources under their own URIs. One that several servers have, as an entry or by a template, is reached through
// `portico://<server>/<uri>` only, and listed so; so is one that looks like such a name itself. Pages of MCP Apps are
// `ui://<server>/<rest>`, always: hosts show no other scheme, and keep what they know of a page by its URI.
import type { CatalogView, ResourceEntry } from '@portico/catalog-core';
import { isUiUri, isUriTooLong, type JsonObject, qualifyUiUri } from '@portico/contracts';
import { findUiPage, type PlaneState, serversWithUri } from '@portico/control-plane';
import { createSharing, textsOf } from './shared-uris.js';

/** Where a URI leads. Two servers may have it, and then it leads nowhere by itself. */
export type ResourcePlace =
  | { readonly kind: 'found'; readonly server: string; readonly uri: string }
  | { readonly kind: 'ambiguous'; readonly servers: readonly string[] }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'too_long'; readonly message: string };

const scheme = 'portico://';

export function qualifiedUri(server: string, uri: string): string {
  return isUiUri(uri) ? qualifyUiUri(server, uri) : `${scheme}${server}/${uri}`;
}

/** Plain resources of a view, each once, as `resources/list` has them. */
export function listResources(view: CatalogView): readonly JsonObject[] {
  return exposed(view, (entry) => entry.template === undefined).map(({ entry, uri }) => ({
    ...definitionOf(entry),
    uri,
  }));
}

/** Templates of a view as `resources/templates/list` has them. */
export function listTemplates(view: CatalogView): readonly JsonObject[] {
  return exposed(view, (entry) => entry.template !== undefined).map(({ entry, uri }) => ({
    ...definitionOf(entry),
    uriTemplate: uri,
  }));
}

/** Resolves a URI in a view. */
export function findResource(state: PlaneState, view: CatalogView, uri: string): ResourcePlace {
  const { uriCharacters } = state.config.limits;
  if (isUriTooLong(uri, uriCharacters)) return { kind: 'too_long', message: describeTooLong(uriCharacters) };
  const qualified = parseQualified(uri);
  if (qualified !== undefined && view.showsServer(qualified.server) && state.config.servers.has(qualified.server)) {
    return { kind: 'found', ...qualified };
  }
  const page = findUiPage(state, view, uri);
  if (page !== undefined) return { kind: 'found', ...page };
  const { servers } = serversWithUri(state, view, uri);
  const [server] = servers;
  if (server === undefined) return { kind: 'unknown' };
  return servers.length === 1 ? { kind: 'found', server, uri } : { kind: 'ambiguous', servers };
}

const describeTooLong = (limit: number) =>
  `the URI is longer than ${limit} percent-encoded characters (limits.uriCharacters)`;

function parseQualified(text: string): { readonly server: string; readonly uri: string } | undefined {
  if (!text.slice(0, scheme.length).toLowerCase().startsWith(scheme)) return undefined;
  const [, server, uri] = /^([A-Za-z0-9_-]+)\/(.+)$/s.exec(text.slice(scheme.length)) ?? [];
  return server === undefined || uri === undefined ? undefined : { server, uri };
}

/** A server that lists such a URI as its own would describe what another server has. */
function isNameOfPortico(entry: ResourceEntry): boolean {
  return textsOf(entry).some((text) => text.startsWith('portico:'));
}

interface Exposed {
  readonly entry: ResourceEntry;
  readonly uri: string;
}

function exposed(view: CatalogView, isWanted: (entry: ResourceEntry) => boolean): readonly Exposed[] {
  const unique = new Map(view.resources.filter(isWanted).map((entry) => [entry.canonicalId, entry]));
  const isShared = createSharing(view);
  return [...unique.values()]
    .sort((a, b) => (a.canonicalId < b.canonicalId ? -1 : 1))
    .map((entry) => ({
      entry,
      uri:
        isUiUri(entry.uri) || isShared(entry) || isNameOfPortico(entry)
          ? qualifiedUri(entry.server, entry.uri)
          : entry.uri,
    }));
}

/** An alias may describe the entry in words of its own. */
function definitionOf({ definition, item }: ResourceEntry): JsonObject {
  const described = item.description == null ? {} : { description: item.description };
  return { ...definition, ...described } as JsonObject;
}
