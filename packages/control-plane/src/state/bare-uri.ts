// The servers of a view that a URI without a server id may belong to.
import { type CatalogView, matchesWildcards, type ResourceEntry } from '@portico/catalog-core';
import { resourceReadings } from '@portico/policy-engine';
import type { PlaneState } from './plane-state.js';
import { listsPage, serversNaming } from './ui-resources.js';

export interface UriServers {
  readonly servers: readonly string[];
  /** Whether the view lists it, under one spelling or another: what is hidden makes nothing ambiguous then. */
  readonly isListed: boolean;
}

/**
 * The servers with an entry or a template for a URI. An entry with exactly this URI goes before a template of the same
 * server, and never before another server's template: a server cannot take the URIs of another one by listing them.
 */
export function serversWithUri(state: PlaneState, view: CatalogView, uri: string): UriServers {
  const naming = serversNaming(state.catalog.capabilities, [uri]);
  const having = [...state.config.servers.keys()].filter(
    (server) => view.showsServer(server) && (listsPage(state, server, uri) || naming.has(server)),
  );
  const listing = serversListing(view, readAs(uri));
  const isListed = having.some((server) => listing.has(server));
  return { servers: isListed ? [...listing].sort() : having.sort(), isListed };
}

/** Every text that one server or another takes for the same resource. */
function readAs(uri: string): readonly string[] {
  const { same, whole } = resourceReadings(uri);
  return [...same, ...whole];
}

/** The servers of a view with an entry or a template for one of these texts, or a tool that names one as its page. */
function serversListing({ resources, capabilities }: CatalogView, texts: readonly string[]): ReadonlySet<string> {
  const having = resources.filter((entry) => texts.some((text) => entry.uri === text || isMadeBy(entry, text)));
  return new Set([...having.map(({ server }) => server), ...serversNaming(capabilities, texts)]);
}

/** Whether the entry is a template that makes this text. */
export function isMadeBy({ template }: ResourceEntry, text: string): boolean {
  return template !== undefined && matchesWildcards(template, text);
}
