// The frozen snapshot that every request reads once, and how a change makes the next one. Pure: no waiting, no I/O.
import { finish, type Steps } from '@portico/async';
import {
  type CapabilityEntry,
  type Catalog,
  type CatalogView,
  catalogInSteps,
  createCatalog,
  profileView,
  roleView,
  type ServerEntries,
  serverEntriesInSteps,
  wholeView,
} from '@portico/catalog-core';
import type { Config, SecretValues, UpstreamDefinitions } from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import { createSearchIndex, type SearchDocument, type SearchIndex } from '@portico/search';
import { createLazyIndex } from './lazy-index.js';
import {
  type EarlierVerdicts,
  isLockEnforced,
  isLockOn,
  judgeAllInSteps,
  judgeByEarlier,
  judgeInSteps,
  type LoadedLock,
  type LockVerdicts,
  noLoadedLock,
  noVerdicts,
  releasedEntries,
} from './lock-verdicts.js';
import { compilePlanePolicy, type PlanePolicy } from './plane-policy.js';
import { isSameProgram } from './server-changes.js';

export interface PlaneState {
  readonly config: Config;
  /** Servers whose lists have been read at least once, in this run or in an earlier one that has kept them. */
  readonly servers: ReadonlyMap<string, ServerEntries>;
  readonly catalog: Catalog;
  readonly search: SearchIndex;
  readonly policy: PlanePolicy;
  /** The entries of `servers` that are not in the catalog, since they differ from the accepted ones. */
  readonly lock: LockVerdicts;
  /**
   * The catalog as a viewer sees it; undefined for an unknown profile or role, and for a profile that the role does not
   * have.
   */
  view(viewer: Viewer): CatalogView | undefined;
}

/** Something that happened to the state. Every change of it is one of these. */
export type Change = DefinitionsRead | DefinitionsRecovered | ConfigReplaced | LockLoaded;

export interface DefinitionsRead {
  readonly kind: 'definitions_read';
  readonly server: string;
  readonly definitions: UpstreamDefinitions;
}

/** Stored definitions of an earlier run, before the first read of this one. */
export interface DefinitionsRecovered {
  readonly kind: 'definitions_recovered';
  /** The entries made of it. */
  readonly servers: ReadonlyMap<string, ServerEntries>;
}

export interface ConfigReplaced {
  readonly kind: 'config_replaced';
  readonly config: Config;
}

/** The lock file was read, or written. */
export interface LockLoaded {
  readonly kind: 'lock_loaded';
  readonly loaded: LoadedLock;
}

/** @param secrets values that records never hold */
export function initialState(config: Config, secrets?: SecretValues): PlaneState {
  const servers = new Map<string, ServerEntries>();
  const policy = compilePlanePolicy(config, secrets);
  const catalog = createCatalog(servers, config.aliases, policy.base);
  const lock = { ...noVerdicts, isEnforced: isLockEnforced(config) }; // before the lock is read, nothing is accepted
  return freezeState({ config, servers, catalog, search: createSearchIndex([]), policy, lock });
}

/** The state after a change. The search index is renewed for the servers whose listing it changed. */
export function reduce(state: PlaneState, change: Change): PlaneState {
  switch (change.kind) {
    case 'definitions_read':
      return finish(readInSteps(state, change));
    case 'definitions_recovered':
      return finish(recoverInSteps(state, change));
    case 'config_replaced':
      return replaceConfig(state, change.config);
    case 'lock_loaded':
      return finish(loadLockInSteps(state, change.loaded));
  }
}

/**
 * The state with what an earlier run has kept, step by step.
 * @param earlier verdicts of an earlier try
 */
export function* recoverInSteps(
  state: PlaneState,
  recovered: DefinitionsRecovered,
  earlier: EarlierVerdicts = state.lock.servers,
): Steps<PlaneState> {
  const servers = new Map([...state.servers, ...recovered.servers]);
  const lock = yield* judgeAllInSteps(state.lock.loaded, state.config, servers, earlier);
  const catalog = yield* catalogInSteps(releasedEntries(servers, lock), state.config.aliases, state.policy.base);
  const search = createLazyIndex(() => finish(indexServers(state.search, catalog, [...servers.keys()])));
  return freezeState({ ...state, servers, catalog, search, lock });
}

/**
 * Computes the state with another lock step by step: held entries may be released, and released ones held.
 * @param earlier verdicts of an earlier try
 */
export function* loadLockInSteps(
  state: PlaneState,
  loaded: LoadedLock,
  earlier: EarlierVerdicts = state.lock.servers,
): Steps<PlaneState> {
  const lock = yield* judgeAllInSteps(loaded, state.config, state.servers, earlier);
  return yield* underLock(state, { ...lock, loaded });
}

/** Computes the state with another lock at once and without a comparison, for a lock that cannot be used. */
export function holdByLock(state: PlaneState, loaded: LoadedLock): PlaneState {
  const lock = judgeByEarlier(loaded, state.config, state.servers, state.lock.servers);
  return finish(underLock(state, { ...lock, loaded }));
}

function* underLock(state: PlaneState, lock: LockVerdicts): Steps<PlaneState> {
  const { config, servers, policy } = state;
  const catalog = yield* catalogInSteps(releasedEntries(servers, lock), config.aliases, policy.base);
  yield;
  const search = yield* indexServers(state.search, catalog, relisted(state.catalog, catalog));
  return freezeState({ ...state, catalog, search, lock });
}

/** A server that comes back mostly says what it has said before. */
function isSameOffer(a: ServerEntries, b: ServerEntries): boolean {
  const toText = ({ capabilities, resources, prompts, rejected, about }: ServerEntries) =>
    JSON.stringify([
      ...[capabilities, resources, prompts].map((entries) => entries.map(({ digest }) => digest)),
      rejected,
      about,
    ]);
  return toText(a) === toText(b);
}

/**
 * The state after a change of one server's definitions, step by step: a server may have thousands.
 * @param made the entries, where they have been made of these definitions before
 * @param earlier verdicts of an earlier try
 */
export function* readInSteps(
  state: PlaneState,
  { server, definitions }: DefinitionsRead,
  made?: ServerEntries,
  earlier: EarlierVerdicts = state.lock.servers,
): Steps<PlaneState> {
  const entries = made ?? (yield* serverEntriesInSteps(server, definitions, state.config.limits));
  const known = state.servers.get(server);
  if (known !== undefined && isSameOffer(known, entries)) return state;
  const servers = new Map(state.servers).set(server, entries);
  const lock = yield* judgeInSteps(state.lock, state.config, server, entries, earlier);
  const catalog = yield* catalogInSteps(releasedEntries(servers, lock), state.config.aliases, state.policy.base);
  // An alias goes out of force when an id it equals appears, and then the listing of its target's server changes too.
  const aliasesChanged = catalog.refusedAliases.join() !== state.catalog.refusedAliases.join();
  yield;
  const search = yield* indexServers(state.search, catalog, aliasesChanged ? [...servers.keys()] : [server]);
  return freezeState({ ...state, servers, catalog, search, lock });
}

/** The definitions of a server stay while it is the same program. */
function replaceConfig(state: PlaneState, config: Config): PlaneState {
  const isKept = (id: string) => {
    const [before, after] = [state.config.servers.get(id), config.servers.get(id)];
    return before !== undefined && after !== undefined && isSameProgram(before, after);
  };
  const servers = new Map([...state.servers].filter(([id]) => isKept(id)));
  const policy = compilePlanePolicy(config, state.policy.secrets);
  // A lock that was read for other rules says nothing for these: until the file is read, nothing is accepted.
  const isSameFile = isLockOn(config) && config.lock.file === state.config.lock.file;
  const loaded = isSameFile ? state.lock.loaded : noLoadedLock;
  // Entries that need another comparison are held until the reading of the lock, which follows each configuration.
  const lock = { ...judgeByEarlier(loaded, config, servers, state.lock.servers), loaded };
  const catalog = createCatalog(releasedEntries(servers, lock), config.aliases, policy.base);
  const search = finish(indexServers(state.search, catalog, relisted(state.catalog, catalog)));
  return freezeState({ config, servers, catalog, search, policy, lock });
}

/** Servers with changed lists. An entry stays the same object while nothing about it changes. */
function relisted(before: Catalog, after: Catalog): readonly string[] {
  const [was, is] = [listedBy(before), listedBy(after)];
  return [...new Set([...was.keys(), ...is.keys()])].filter((server) => {
    const [old = [], now = []] = [was.get(server), is.get(server)];
    return old.length !== now.length || old.some((entry, at) => entry !== now[at]);
  });
}

function listedBy({ capabilities }: Catalog): ReadonlyMap<string, readonly CapabilityEntry[]> {
  const byServer = new Map<string, CapabilityEntry[]>();
  for (const entry of capabilities) {
    const listed = byServer.get(entry.server);
    if (listed === undefined) byServer.set(entry.server, [entry]);
    else listed.push(entry);
  }
  return byServer;
}

function* indexServers(search: SearchIndex, catalog: Catalog, servers: readonly string[]): Steps<SearchIndex> {
  let index = search;
  for (const id of servers) index = yield* index.replaceServerInSteps(id, searchDocuments(catalog, id));
  return index;
}

function freezeState(parts: Omit<PlaneState, 'view'>): PlaneState {
  const { config, catalog, policy } = parts;
  /** By profile, then by role; null for none. */
  const views = new Map<string | null, Map<string | null, CatalogView>>();
  const view = (viewer: Viewer) => {
    const profile = policy.profileOf(viewer);
    if (profile === undefined) return undefined;
    const known = views.get(profile)?.get(viewer.role);
    if (known !== undefined) return known;
    const made = viewOfRole(viewer.role, profile === null ? wholeView(catalog) : viewOfProfile(profile));
    if (made !== undefined) views.set(profile, (views.get(profile) ?? new Map()).set(viewer.role, made));
    return made;
  };
  const viewOfRole = (role: string | null, narrowed: CatalogView | undefined) => {
    const rules = policy.roleRules(role);
    if (role === null || rules === null || narrowed === undefined) return narrowed;
    return rules === undefined ? undefined : roleView(narrowed, role, rules);
  };
  const viewOfProfile = (profile: string) => {
    const servers = config.profiles.get(profile)?.servers;
    return servers && profileView(catalog, profile, { servers, rules: policy.profileRules(profile) });
  };
  return Object.freeze({ ...parts, view });
}

function searchDocuments(catalog: Catalog, server: string): SearchDocument[] {
  return catalog.capabilities.filter((entry) => entry.server === server).map(toSearchDocument);
}

/** The searchable text of an entry. */
export function toSearchDocument({ item, description, definition, mode, digest }: CapabilityEntry): SearchDocument {
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
    digest,
  };
}
