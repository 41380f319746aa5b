// What one caller sees of the catalog: all of it, or the servers of a profile, with the ETag that belongs to it.
import { digestOf } from '@portico/canonical-json';
import type { Catalog } from './catalog.js';
import type { CapabilityEntry, PromptEntry, ResourceEntry } from './entries.js';

export interface CatalogView {
  readonly catalogVersion: string;
  /** ETag without its quotes: the catalog version, with `-p:<profile>:<hash>` behind it when a profile narrows it. */
  readonly etag: string;
  readonly capabilities: readonly CapabilityEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly prompts: readonly PromptEntry[];
  hasServer(server: string): boolean;
}

/** The whole catalog as a view. */
export function wholeView(catalog: Catalog): CatalogView {
  return Object.freeze({
    catalogVersion: catalog.version,
    etag: catalog.version,
    capabilities: catalog.capabilities,
    resources: catalog.resources,
    prompts: catalog.prompts,
    hasServer: () => true,
  });
}

/** The entries of a profile's servers. An empty profile is an empty view, never the whole catalog. */
export function profileView(catalog: Catalog, profile: string, servers: readonly string[]): CatalogView {
  const members = new Set(servers);
  const isMember = ({ server }: { readonly server: string }) => members.has(server);
  const hash = digestOf({ servers: [...members].sort() }).slice(0, 16);
  return Object.freeze({
    catalogVersion: catalog.version,
    etag: `${catalog.version}-p:${profile}:${hash}`,
    capabilities: catalog.capabilities.filter(isMember),
    resources: catalog.resources.filter(isMember),
    prompts: catalog.prompts.filter(isMember),
    hasServer: (server: string) => members.has(server),
  });
}
