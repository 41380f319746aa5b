// The frozen snapshot that every request reads once, and how a change makes the next one. Pure: no waiting, no I/O.
import {
  type CapabilityEntry,
  type Catalog,
  type CatalogView,
  createCatalog,
  profileView,
  type ServerEntries,
  toServerEntries,
  wholeView,
} from '@portico/catalog-core';
import type { Config, UpstreamDefinitions } from '@portico/contracts';
import { createSearchIndex, type SearchDocument, type SearchIndex } from '@portico/search';

export interface PlaneState {
  readonly config: Config;
  /** Servers whose lists have been read at least once. */
  readonly servers: ReadonlyMap<string, ServerEntries>;
  readonly catalog: Catalog;
  readonly search: SearchIndex;
  /** What a profile sees, or everything for null; undefined for an unknown profile. */
  view(profile: string | null): CatalogView | undefined;
}

/** Something that happened to the state. Every change of it is one of these. */
export interface Change {
  readonly kind: 'definitions_read';
  readonly server: string;
  readonly definitions: UpstreamDefinitions;
}

export function initialState(config: Config): PlaneState {
  const servers = new Map<string, ServerEntries>();
  return freezeState(config, servers, createCatalog(servers, config.aliases), createSearchIndex([]));
}

/** The state after a change. The search index is renewed for the servers whose listing it changed. */
export function reduce(state: PlaneState, change: Change): PlaneState {
  const entries = toServerEntries(change.server, change.definitions);
  const servers = new Map(state.servers).set(change.server, entries);
  const catalog = createCatalog(servers, state.config.aliases);
  // An alias goes out of force when an id it equals appears, and then the listing of its target's server changes too.
  const aliasesChanged = catalog.refusedAliases.join() !== state.catalog.refusedAliases.join();
  const changed = aliasesChanged ? [...servers.keys()] : [change.server];
  const search = changed.reduce((index, id) => index.replaceServer(id, searchDocuments(catalog, id)), state.search);
  return freezeState(state.config, servers, catalog, search);
}

function freezeState(
  config: Config,
  servers: ReadonlyMap<string, ServerEntries>,
  catalog: Catalog,
  search: SearchIndex,
): PlaneState {
  const views = new Map<string | null, CatalogView>([[null, wholeView(catalog)]]);
  const view = (profile: string | null) => {
    const known = views.get(profile);
    const definition = profile === null ? undefined : config.profiles.get(profile);
    if (known !== undefined || profile === null || definition === undefined) return known;
    const made = profileView(catalog, profile, definition.servers);
    views.set(profile, made);
    return made;
  };
  return Object.freeze({
    config,
    servers,
    catalog,
    search,
    view,
  });
}

function searchDocuments(catalog: Catalog, server: string): SearchDocument[] {
  return catalog.capabilities.filter((entry) => entry.server === server).map(toSearchDocument);
}

function toSearchDocument({ item, description, definition, mode }: CapabilityEntry): SearchDocument {
  const properties = definition.inputSchema.properties;
  return {
    id: item.id,
    server: item.server,
    tool: item.tool,
    summary: item.summary,
    description,
    tags: item.tags,
    argumentNames: typeof properties === 'object' && properties !== null ? Object.keys(properties) : [],
    mode,
  };
}
