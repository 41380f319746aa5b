// The effect of the lock on the lists of servers: the differences from the accepted definitions, and the held entries.
// Pure.
import type { Steps } from '@portico/async';
import type { ServerEntries } from '@portico/catalog-core';
import type { Config, JsonObject, LockRules } from '@portico/contracts';
import {
  compareServer,
  type Drift,
  driftId,
  emptyLock,
  type ListedDefinition,
  type ListedServer,
  type LockedServer,
  type ToolsLock,
} from '@portico/tools-lock';
import { createEntryNames, type EntryNames } from './entry-names.js';
import { programDigest } from './server-changes.js';

/** The lock file as it was read last. */
export interface LoadedLock {
  readonly lock: ToolsLock;
  /** Why it cannot be used: what it should have said is not known. */
  readonly fault?: string;
  /** There is no file: everything is new. */
  readonly isMissing?: true;
}

export const noLoadedLock: LoadedLock = Object.freeze({ lock: emptyLock, fault: 'it is not read yet' });

/** The effect of the lock on one server. */
export interface ServerVerdict {
  readonly mode: 'warn' | 'enforce';
  readonly drifts: readonly Drift[];
  /** The held differences by id; empty in mode `warn`. */
  readonly held: ReadonlyMap<string, Drift>;
  /** Why nothing of the server may be used, regardless of its lists. */
  readonly isWhollyHeld: boolean;
  /** The entries that are not held. */
  readonly released: ServerEntries;
  readonly names: EntryNames;
  /** Undefined if nothing was compared: the lock cannot be used, or the comparison is under way. */
  readonly comparison: Comparison | undefined;
}

/** A comparison holds while its inputs are the same. */
interface Comparison {
  readonly locked: LockedServer | undefined;
  readonly entries: ServerEntries;
  readonly program: string;
  readonly drifts: readonly Drift[];
}

export interface LockVerdicts {
  readonly loaded: LoadedLock;
  /** Whether something could be held. */
  readonly isEnforced: boolean;
  /** Verdicts of the servers that were read; empty if the lock is off. */
  readonly servers: ReadonlyMap<string, ServerVerdict>;
}

export const noVerdicts: LockVerdicts = Object.freeze({
  loaded: noLoadedLock,
  isEnforced: false,
  servers: new Map(),
});

export function rulesOf({ lock }: Pick<Config, 'lock'>, server: string): LockRules {
  return lock.servers.get(server) ?? lock;
}

/** Whether the lock counts for any server. */
export function isLockOn({ lock }: Pick<Config, 'lock'>): boolean {
  return lock.mode !== 'off' || [...lock.servers.values()].some(({ mode }) => mode !== 'off');
}

/** Whether any server is held to the lock. */
export function isLockEnforced({ lock }: Pick<Config, 'lock'>): boolean {
  return lock.mode === 'enforce' || [...lock.servers.values()].some(({ mode }) => mode === 'enforce');
}

/** Whether no server waits to be compared with a lock that can be used. */
export function isAllCompared({ lock, config, servers }: LockedState): boolean {
  const isPending = (id: string) =>
    rulesOf(config, id).mode !== 'off' && lock.servers.get(id)?.comparison === undefined;
  return ![...servers.keys()].some(isPending);
}

interface LockedState {
  readonly lock: LockVerdicts;
  readonly config: Config;
  readonly servers: ReadonlyMap<string, ServerEntries>;
}

/** Why the lock that is configured cannot be used; undefined if it can, and if it is off. */
export function lockFault({
  lock,
  config,
}: {
  readonly lock: LockVerdicts;
  readonly config: Config;
}): string | undefined {
  return isLockOn(config) ? lock.loaded.fault : undefined;
}

/** By the ids of servers, verdicts whose comparisons may still hold. */
export type EarlierVerdicts = LockVerdicts['servers'];

/** The verdicts, with one server judged again. */
export function* judgeInSteps(
  before: LockVerdicts,
  config: Config,
  server: string,
  entries: ServerEntries,
  earlier: EarlierVerdicts = before.servers,
): Steps<LockVerdicts> {
  const verdict = yield* judge(before.loaded, config, server, entries, earlier.get(server));
  if (verdict === undefined) return before;
  return { ...before, servers: new Map(before.servers).set(server, verdict) };
}

/** Judges all servers again. An unchanged server is not compared again. */
export function* judgeAllInSteps(
  loaded: LoadedLock,
  config: Config,
  servers: ReadonlyMap<string, ServerEntries>,
  earlier: EarlierVerdicts,
): Steps<LockVerdicts> {
  if (!isLockOn(config)) return noVerdicts;
  const verdicts = new Map<string, ServerVerdict>();
  for (const [id, entries] of servers) {
    const verdict = yield* judge(loaded, config, id, entries, earlier.get(id));
    if (verdict !== undefined) verdicts.set(id, verdict);
  }
  return { loaded, isEnforced: isLockEnforced(config), servers: verdicts };
}

/**
 * Judges all servers at once without a comparison, for a change that has to be in force in this turn of the event loop. In
 * mode `enforce` every entry without a comparison is held until `judgeAllInSteps` has compared it.
 */
export function judgeByEarlier(
  loaded: LoadedLock,
  config: Config,
  servers: ReadonlyMap<string, ServerEntries>,
  earlier: EarlierVerdicts,
): LockVerdicts {
  if (!isLockOn(config)) return noVerdicts;
  const verdicts = new Map<string, ServerVerdict>();
  for (const [id, entries] of servers) {
    const rules = rulesOf(config, id);
    if (rules.mode === 'off') continue;
    const known = knownComparison(earlier.get(id), loaded.lock.get(id), entries, programOf(config, id));
    verdicts.set(id, verdictBy(loaded, config, id, entries, isComparable(loaded) ? known : undefined));
  }
  return { loaded, isEnforced: isLockEnforced(config), servers: verdicts };
}

/** The entries of the catalog: all but those that are held. */
export function releasedEntries(
  servers: ReadonlyMap<string, ServerEntries>,
  { servers: verdicts }: LockVerdicts,
): ReadonlyMap<string, ServerEntries> {
  if (verdicts.size === 0) return servers;
  return new Map([...servers].map(([id, entries]) => [id, verdicts.get(id)?.released ?? entries]));
}

function* judge(
  loaded: LoadedLock,
  config: Config,
  server: string,
  entries: ServerEntries,
  earlier: ServerVerdict | undefined,
): Steps<ServerVerdict | undefined> {
  if (rulesOf(config, server).mode === 'off') return undefined;
  const comparison = isComparable(loaded) ? yield* compare(loaded.lock, config, server, entries, earlier) : undefined;
  return verdictBy(loaded, config, server, entries, comparison);
}

/** Without a file, everything is new. */
function isComparable({ fault, isMissing }: LoadedLock): boolean {
  return fault === undefined || isMissing === true;
}

function* compare(
  lock: ToolsLock,
  config: Config,
  server: string,
  entries: ServerEntries,
  earlier: ServerVerdict | undefined,
): Steps<Comparison> {
  const [locked, program] = [lock.get(server), programOf(config, server)];
  const known = knownComparison(earlier, locked, entries, program);
  if (known !== undefined) return known;
  const drifts = yield* compareServer(server, locked, listedServer(config, server, entries));
  return { locked, entries, program, drifts };
}

function knownComparison(
  earlier: ServerVerdict | undefined,
  locked: LockedServer | undefined,
  entries: ServerEntries,
  program: string,
): Comparison | undefined {
  const known = earlier?.comparison;
  const isSame = known?.locked === locked && known?.entries === entries && known.program === program;
  return isSame ? known : undefined;
}

function verdictBy(
  { fault }: LoadedLock,
  config: Config,
  server: string,
  entries: ServerEntries,
  comparison: Comparison | undefined,
): ServerVerdict {
  const { mode, newTools } = rulesOf(config, server);
  const drifts = comparison?.drifts ?? [];
  const names = createEntryNames(entries);
  const judged = { mode: mode === 'enforce' ? mode : ('warn' as const), drifts, comparison, names };
  if (mode !== 'enforce') return { ...judged, held: new Map(), isWhollyHeld: false, released: entries };
  const nothing = { ...entries, capabilities: [], resources: [], prompts: [] };
  if (fault !== undefined || comparison === undefined) {
    return { ...judged, held: byId(drifts), isWhollyHeld: true, released: nothing };
  }
  const used: readonly string[] = [
    ...config.lock.accept,
    'removed',
    ...(newTools === 'allow' ? ['new', 'renamed'] : []),
  ];
  const held = byId(drifts.filter((drift) => !used.includes(drift.class)));
  const isWhollyHeld = held.has(driftId('server', server));
  const released = isWhollyHeld ? nothing : held.size === 0 ? entries : withoutHeld(server, entries, held);
  return { ...judged, held, isWhollyHeld, released };
}

function byId(drifts: readonly Drift[]): ReadonlyMap<string, Drift> {
  return new Map(drifts.map((drift) => [drift.id, drift]));
}

function withoutHeld(server: string, entries: ServerEntries, held: ServerVerdict['held']): ServerEntries {
  return {
    ...entries,
    capabilities: entries.capabilities.filter(({ tool }) => !held.has(driftId('tool', server, tool))),
    prompts: entries.prompts.filter(({ name }) => !held.has(driftId('prompt', server, name))),
    resources: entries.resources.filter(
      ({ template, uri }) => template === undefined || !held.has(driftId('resource_template', server, uri)),
    ),
  };
}

function programOf(config: Config, server: string): string {
  const configured = config.servers.get(server);
  return configured === undefined ? 'none' : programDigest(configured);
}

/** A server as the lock knows one. */
export function listedServer(config: Config, server: string, entries: ServerEntries): ListedServer {
  const { package: found, info, instructions } = entries.about ?? {};
  const templates = entries.resources.filter(({ template }) => template !== undefined);
  return {
    identity: {
      program: programOf(config, server),
      ...(typeof found === 'string' ? { package: found } : {}),
      ...(info === undefined ? {} : { info }),
      ...(instructions === undefined ? {} : { instructions }),
    },
    ...(found === null ? { hasNoPackage: true } : {}),
    lists: {
      tool: byName(entries.capabilities, ({ tool }) => tool),
      prompt: byName(entries.prompts, ({ name }) => name),
      resource_template: byName(templates, ({ uri }) => uri),
    },
  };
}

interface Listable {
  readonly digest: string;
  readonly definition: object;
}

function byName<E extends Listable>(
  entries: readonly E[],
  nameOf: (entry: E) => string,
): ReadonlyMap<string, ListedDefinition> {
  const listed = new Map<string, ListedDefinition>();
  for (const entry of entries) {
    const { digest, definition } = entry;
    listed.set(nameOf(entry), { digest, definition: definition as JsonObject }); // it came as JSON
  }
  return listed;
}
