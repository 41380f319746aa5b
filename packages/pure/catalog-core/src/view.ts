// The part of the catalog that one caller sees: all of it, or the servers of a profile, with the ETag that belongs to
// it.
import { digestOf } from '@portico/canonical-json';
import type { Catalog, VisibilityRules } from './catalog.js';
import type { CapabilityEntry, PromptEntry, ResourceEntry } from './entries.js';

export interface CatalogView {
  readonly catalogVersion: string;
  /** ETag without its quotes: the catalog version, with `-p:<profile>:<hash>` and `-r:<role>:<hash>` of what narrows it. */
  readonly etag: string;
  readonly capabilities: readonly CapabilityEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly prompts: readonly PromptEntry[];
  /** Behind the ETag of an entry: what a role narrows it to, or nothing. */
  readonly etagSuffix: string;
  /** Whether it depends on the caller, so that no other caller may receive it. */
  readonly cacheScope: 'public' | 'private';
  hasServer(server: string): boolean;
  /** Whether a server may be named here: a role sees the name of a server only with something on it. */
  showsServer(server: string): boolean;
  /** Whether a capability is listed here, under this id or any other name of it. */
  lists(entry: CapabilityEntry): boolean;
}

/** Everything that the catalog lists, as a view. */
export function wholeView(catalog: Catalog): CatalogView {
  return toView(catalog, catalog.version, () => true);
}

export interface ProfileRules {
  readonly servers: readonly string[];
  /** Narrows what the catalog lists; null leaves it as it is. */
  readonly rules: VisibilityRules | null;
}

/** The entries of a profile's servers. An empty profile is an empty view, never the whole catalog. */
export function profileView(catalog: Catalog, profile: string, { servers, rules }: ProfileRules): CatalogView {
  const members = new Set(servers);
  const policy = rules === null ? {} : { policy: rules.digestible };
  const hash = digestOf({ servers: [...members].sort(), ...policy }).slice(0, 16);
  return toView(catalog, `${catalog.version}-p:${profile}:${hash}`, (server) => members.has(server), rules);
}

/** The part of a view that a role sees. No two roles share an ETag, even for equal views. */
export function roleView(view: CatalogView, role: string, rules: VisibilityRules): CatalogView {
  const suffix = `-r:${role}:${digestOf({ policy: rules.digestible }).slice(0, 16)}`;
  const isSeen = ({ names }: { readonly names: readonly string[] }) => rules.isVisible(names);
  const capabilities = view.capabilities.filter(isSeen);
  const resources = view.resources.filter(isSeen);
  const prompts = view.prompts.filter(isSeen);
  const listed = new Set(capabilities.map(({ canonicalId }) => canonicalId));
  const shown = new Set([...capabilities, ...resources, ...prompts].map(({ server }) => server));
  return Object.freeze({
    catalogVersion: view.catalogVersion,
    etag: `${view.etag}${suffix}`,
    etagSuffix: suffix,
    cacheScope: 'private',
    capabilities,
    resources,
    prompts,
    hasServer: view.hasServer,
    showsServer: rules.digestible === null ? view.hasServer : (server: string) => shown.has(server),
    lists: ({ canonicalId }: CapabilityEntry) => listed.has(canonicalId),
  });
}

function toView(
  catalog: Catalog,
  etag: string,
  hasServer: (server: string) => boolean,
  rules: VisibilityRules | null = null,
): CatalogView {
  const isSeen = ({ server, names }: { readonly server: string; readonly names: readonly string[] }) =>
    hasServer(server) && (rules === null || rules.isVisible(names));
  const capabilities = catalog.capabilities.filter(isSeen);
  const listed = new Set(capabilities.map(({ canonicalId }) => canonicalId));
  return Object.freeze({
    catalogVersion: catalog.version,
    etag,
    etagSuffix: '',
    cacheScope: 'public',
    capabilities,
    resources: catalog.resources.filter(isSeen),
    prompts: catalog.prompts.filter(isSeen),
    hasServer,
    showsServer: hasServer,
    lists: ({ canonicalId }: CapabilityEntry) => listed.has(canonicalId),
  });
}
