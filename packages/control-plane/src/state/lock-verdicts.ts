// The effect of the lock on the lists of servers: the differences from the accepted definitions, and the held entries.
// Pure.
import type { Steps } from '@portico/async';
import { matchesWildcards, type ResourceEntry, type ServerEntries, splitId } from '@portico/catalog-core';
import type { Config, ErrorReason, JsonObject, LockRules } from '@portico/contracts';
import {
  compareServer,
  type Drift,
  driftId,
  emptyLock,
  type ListedDefinition,
  type ListedServer,
  type ToolsLock,
} from '@portico/tools-lock';
import type { CallKind } from '../call/call.js';
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
  /** Ids of those that are held; empty in mode `warn`. */
  readonly held: ReadonlySet<string>;
  /** Why nothing of the server may be used, regardless of its lists. */
  readonly isWhollyHeld: boolean;
  /** The entries that are not held. */
  readonly released: ServerEntries;
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

/** Why the lock that is configured cannot be used; undefined if it can, and where it is off. */
export function lockFault({
  lock,
  config,
}: {
  readonly lock: LockVerdicts;
  readonly config: Config;
}): string | undefined {
  return isLockOn(config) ? lock.loaded.fault : undefined;
}

/** The verdicts, with one server judged again. */
export function* judgeInSteps(
  before: LockVerdicts,
  config: Config,
  server: string,
  entries: ServerEntries,
): Steps<LockVerdicts> {
  const verdict = yield* judge(before.loaded, config, server, entries);
  if (verdict === undefined) return before;
  return { ...before, servers: new Map(before.servers).set(server, verdict) };
}

/** Judges all servers again. */
export function* judgeAllInSteps(
  loaded: LoadedLock,
  config: Config,
  servers: ReadonlyMap<string, ServerEntries>,
): Steps<LockVerdicts> {
  if (!isLockOn(config)) return noVerdicts;
  const verdicts = new Map<string, ServerVerdict>();
  for (const [id, entries] of servers) {
    const verdict = yield* judge(loaded, config, id, entries);
    if (verdict !== undefined) verdicts.set(id, verdict);
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
  { lock, fault, isMissing }: LoadedLock,
  config: Config,
  server: string,
  entries: ServerEntries,
): Steps<ServerVerdict | undefined> {
  const { mode, newTools } = rulesOf(config, server);
  if (mode === 'off') return undefined;
  const isEnforced = mode === 'enforce';
  const nothing = { ...entries, capabilities: [], resources: [], prompts: [] };
  const isComparable = fault === undefined || isMissing === true;
  const listed = listedServer(config, server, entries);
  const drifts = isComparable ? yield* compareServer(server, lock.get(server), listed) : [];
  if (isEnforced && fault !== undefined) {
    return { mode, drifts, held: new Set(drifts.map(({ id }) => id)), isWhollyHeld: true, released: nothing };
  }
  if (!isEnforced) return { mode, drifts, held: new Set(), isWhollyHeld: false, released: entries };
  const used: readonly string[] = [
    ...config.lock.accept,
    'removed',
    ...(newTools === 'allow' ? ['new', 'renamed'] : []),
  ];
  const held = new Set(drifts.filter((drift) => !used.includes(drift.class)).map(({ id }) => id));
  const isWhollyHeld = held.has(driftId('server', server));
  const released = isWhollyHeld ? nothing : held.size === 0 ? entries : withoutHeld(server, entries, held);
  return { mode, drifts, held, isWhollyHeld, released };
}

function withoutHeld(server: string, entries: ServerEntries, held: ReadonlySet<string>): ServerEntries {
  return {
    ...entries,
    capabilities: entries.capabilities.filter(({ tool }) => !held.has(driftId('tool', server, tool))),
    prompts: entries.prompts.filter(({ name }) => !held.has(driftId('prompt', server, name))),
    resources: entries.resources.filter(
      ({ template, uri }) => template === undefined || !held.has(driftId('resource_template', server, uri)),
    ),
  };
}

/** A server as the lock knows one. */
export function listedServer(config: Config, server: string, entries: ServerEntries): ListedServer {
  const configured = config.servers.get(server);
  const { package: found, info, instructions } = entries.about ?? {};
  const templates = entries.resources.filter(({ template }) => template !== undefined);
  return {
    identity: {
      program: configured === undefined ? 'none' : programDigest(configured),
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

export interface Held {
  readonly server: string;
  readonly reason: Extract<ErrorReason, 'definition_changed' | 'definition_unapproved'>;
  /** As a person reads it, to end the sentence "… is held: ". */
  readonly because: string;
  /** Every name that rules know it by. */
  readonly names: readonly (readonly string[])[];
}

/** Why a listed entry is held for every user; undefined for one that is not held. */
export function heldBy(
  { servers: verdicts, loaded }: LockVerdicts,
  { servers, config }: { readonly servers: ReadonlyMap<string, ServerEntries>; readonly config: Config },
  kind: CallKind,
  id: string,
): Held | undefined {
  if (verdicts.size === 0) return undefined;
  const aliases = { tool: config.aliases.capability, resource: config.aliases.resource, prompt: config.aliases.prompt }[
    kind
  ];
  const canonicalId = aliases.get(id)?.target ?? id;
  const { server = '', name = '' } = splitId(canonicalId) ?? {};
  const [verdict, entries] = [verdicts.get(server), servers.get(server)];
  if (verdict === undefined || entries === undefined || verdict.mode !== 'enforce') return undefined;
  const listed = listedAs(entries, kind, name);
  if (listed === undefined && !verdict.isWhollyHeld) return undefined;
  const itself = listed?.kind === undefined ? undefined : driftId(listed.kind, server, listed.name);
  const ids = [driftId('server', server), ...(itself === undefined ? [] : [itself])];
  const drift = verdict.drifts.find((each) => ids.includes(each.id) && verdict.held.has(each.id));
  if (drift === undefined && !verdict.isWhollyHeld) return undefined;
  const own = [...aliases].filter(([, alias]) => alias.target === canonicalId).map(([alias]) => alias);
  return { server, names: [[...(listed?.names ?? []), canonicalId, ...own]], ...reasonOf(drift, loaded.fault) };
}

function reasonOf(drift: Drift | undefined, fault: string | undefined): Pick<Held, 'reason' | 'because'> {
  if (drift === undefined) return { reason: 'definition_unapproved', because: `the lock cannot be used: ${fault}` };
  const what = drift.kind === 'server' ? `server "${drift.server}"` : 'its definition';
  if (drift.lockedDigest === null) return { reason: 'definition_unapproved', because: `${what} is not in the lock` };
  const fields = drift.changes.map(({ field }) => field).join(', ');
  return { reason: 'definition_changed', because: `${what} is not as it was accepted (${drift.class}: ${fields})` };
}

interface ListedName {
  /** Undefined for a plain resource, which is held with its server only. */
  readonly kind?: 'tool' | 'prompt' | 'resource_template';
  readonly name: string;
  readonly names: readonly string[];
}

function listedAs(
  { capabilities, prompts, resources }: ServerEntries,
  kind: CallKind,
  name: string,
): ListedName | undefined {
  if (kind === 'tool') {
    const found = capabilities.find(({ tool }) => tool === name);
    return found && { kind: 'tool', name, names: found.names };
  }
  if (kind === 'prompt') {
    const found = prompts.find((prompt) => prompt.name === name);
    return found && { kind: 'prompt', name, names: found.names };
  }
  const isMeant = ({ uri, template }: ResourceEntry) =>
    uri === name || (template !== undefined && matchesWildcards(template, name));
  const found = resources.find(isMeant);
  return (
    found && {
      ...(found.template === undefined ? {} : { kind: 'resource_template' }),
      name: found.uri,
      names: found.names,
    }
  );
}
