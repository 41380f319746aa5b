// Pages of MCP Apps (SEP-1865): known by what a server lists and by what its tools name, since servers need not list them.
import type { CapabilityEntry, CatalogView } from '@portico/catalog-core';
import { isUiUri, splitUiUri, uiUrisIn } from '@portico/contracts';
import type { PlaneState } from './plane-state.js';

/** The servers among whose tools one names a page by one of these URIs. */
export function serversNaming(capabilities: readonly CapabilityEntry[], uris: readonly string[]): ReadonlySet<string> {
  const pages = uris.filter(isUiUri);
  if (pages.length === 0) return new Set();
  const naming = capabilities.filter(({ definition }) => uiUrisIn(definition._meta).some((uri) => pages.includes(uri)));
  return new Set(naming.map(({ server }) => server));
}

/** Whether a server lists a page, or has a template for it. */
export function listsPage({ catalog }: Pick<PlaneState, 'catalog'>, server: string, uri: string): boolean {
  return catalog.findResource(`${server}.${uri}`) !== undefined;
}

/** Whether a server lists a page, has a template for it, or has a tool that names it. */
function hasPage(state: Pick<PlaneState, 'catalog'>, server: string, uri: string): boolean {
  return listsPage(state, server, uri) || serversNaming(state.catalog.capabilities, [uri]).has(server);
}

/**
 * Resolves `ui://<server>/<rest>` if there is such a server: to its `ui://<rest>`. A page that is written for its
 * server alone uses bare URIs, which may begin with the server's name: a URI that is listed by that server, and matches
 * no other, is used unchanged. It never resolves to another server.
 */
export function findUiPage(
  state: PlaneState,
  view: CatalogView,
  text: string,
): { readonly server: string; readonly uri: string } | undefined {
  const named = splitUiUri(text);
  if (named === undefined || !state.config.servers.has(named.server) || !view.showsServer(named.server))
    return undefined;
  const { server, uri } = named;
  return !hasPage(state, server, uri) && hasPage(state, server, text) ? { server, uri: text } : { server, uri };
}
