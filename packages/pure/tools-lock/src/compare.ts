// Compares the list of a server with its lock. An unchanged definition costs one comparison of two digests.
import type { Steps } from '@portico/async';
import { canonicalize, digestOf } from '@portico/canonical-json';
import type { JsonObject } from '@portico/contracts';
import { classifyDefinition, classifyIdentity, textOf } from './classify.js';
import { type Drift, type DriftClass, type FieldChange, worstOf } from './drift.js';
import { hiddenCharacters } from './hidden-characters.js';
import {
  type ListedDefinition,
  type ListedServer,
  type LockedDefinition,
  type LockedKind,
  type LockedServer,
  lockedKinds,
  type ServerIdentity,
} from './lock-file.js';

const definitionsInOneStep = 256;

/**
 * Returns the differences, sorted by kind and name, with the server itself first. A server that is not locked is `new`,
 * and so is all that it lists. Yields between definitions: a server may have thousands.
 */
export function* compareServer(id: string, locked: LockedServer | undefined, listed: ListedServer): Steps<Drift[]> {
  const drifts: Drift[] = identityOrSuspicion(id, locked, listed);
  for (const kind of lockedKinds) {
    const [was, is] = [locked?.lists[kind] ?? none, listed.lists[kind]];
    const found: Drift[] = [];
    let looked = 0;
    for (const [name, definition] of is) {
      looked += 1;
      if (looked % definitionsInOneStep === 0) yield;
      const before = was.get(name);
      if (before?.digest === definition.digest) continue;
      yield;
      found.push(definitionOrSuspicion(kind, id, name, before, definition));
    }
    for (const [name, before] of was) {
      looked += 1;
      if (looked % definitionsInOneStep === 0) yield;
      if (is.has(name)) continue;
      yield;
      found.push(removed(kind, id, name, before));
    }
    const named = yield* withRenamed(found, was, is);
    for (const drift of named.sort((a, b) => (a.name < b.name ? -1 : 1))) drifts.push(drift);
  }
  return drifts;
}

/** Returns the drift of a locked server that is not configured. */
export function goneServer(id: string, { digest, identity }: LockedServer): Drift {
  const base = { id: driftId('server', id), kind: 'server', server: id, name: id } as const;
  const changes = [change('server', 'removed', textOf({ ...identity }), null)];
  return { ...base, class: 'removed', digest: null, lockedDigest: digest, changes };
}

/** The id of a difference: `<kind>:<server>.<name>`, or `server:<server>` for the server itself. */
export function driftId(kind: Drift['kind'], server: string, name?: string): string {
  return name === undefined ? `${kind}:${server}` : `${kind}:${server}.${name}`;
}

/** Returns the digest of the known identity of a server, without its lists. */
export function identityDigest(identity: ServerIdentity): string {
  return digestOf({ ...identity });
}

const none: ReadonlyMap<string, LockedDefinition> = new Map();

function identityDrift(id: string, locked: LockedServer | undefined, listed: ListedServer): Drift[] {
  const { identity } = listed;
  const digest = identityDigest(identity);
  const base = { id: driftId('server', id), kind: 'server', server: id, name: id, digest } as const;
  if (locked === undefined) {
    const changes = [change('server', classOfNew(identity), null, textOf({ ...identity }))];
    return [{ ...base, class: worstOf(changes.map((each) => each.class)), lockedDigest: null, changes }];
  }
  const changes = classifyIdentity(locked.identity, listed);
  if (changes.length === 0) return [];
  return [{ ...base, class: worstOf(changes.map((each) => each.class)), lockedDigest: locked.digest, changes }];
}

/** A definition that cannot be compared gets the most dangerous class: a server must not escape the comparison. */
function identityOrSuspicion(id: string, locked: LockedServer | undefined, listed: ListedServer): Drift[] {
  try {
    return identityDrift(id, locked, listed);
  } catch {
    const base = { id: driftId('server', id), kind: 'server', server: id, name: id } as const;
    return [{ ...base, digest: null, ...notCompared, lockedDigest: locked?.digest ?? null }];
  }
}

function definitionOrSuspicion(
  kind: LockedKind,
  server: string,
  name: string,
  before: LockedDefinition | undefined,
  now: ListedDefinition,
): Drift {
  try {
    return before === undefined ? added(kind, server, name, now) : changed(kind, server, name, before, now);
  } catch {
    const base = { id: driftId(kind, server, name), kind, server, name, digest: now.digest } as const;
    return { ...base, ...notCompared, lockedDigest: before?.digest ?? null };
  }
}

const notCompared = { class: 'suspicious', changes: [change('definition', 'suspicious', null, null)] } as const;

function classOfNew(value: object): DriftClass {
  return hiddenCharacters(value as JsonObject).length > 0 ? 'suspicious' : 'new';
}

function added(kind: LockedKind, server: string, name: string, { digest, definition }: ListedDefinition): Drift {
  const changes = [change('definition', classOfNew(definition), null, textOf(definition))];
  const found = worstOf(changes.map((each) => each.class));
  return { id: driftId(kind, server, name), kind, server, name, class: found, digest, lockedDigest: null, changes };
}

function changed(
  kind: LockedKind,
  server: string,
  name: string,
  before: LockedDefinition,
  { digest, definition }: ListedDefinition,
): Drift {
  const changes = classifyDefinition(kind, before.definition, definition);
  const found = worstOf(changes.map((each) => each.class));
  const lockedDigest = before.digest;
  return { id: driftId(kind, server, name), kind, server, name, class: found, digest, lockedDigest, changes };
}

function removed(kind: LockedKind, server: string, name: string, { digest, definition }: LockedDefinition): Drift {
  const changes = [change('definition', 'removed', textOf(definition), null)];
  const base = { id: driftId(kind, server, name), kind, server, name } as const;
  return { ...base, class: 'removed', digest: null, lockedDigest: digest, changes };
}

function change(field: string, found: DriftClass, before: string | null, after: string | null): FieldChange {
  return { field, class: found, before, after };
}

/** Marks a new definition as `renamed` where a removed one had the same words and the same schema. */
function* withRenamed(
  drifts: readonly Drift[],
  was: ReadonlyMap<string, LockedDefinition>,
  is: ReadonlyMap<string, ListedDefinition>,
): Steps<Drift[]> {
  const gone = new Map<string, string>();
  for (const { class: found, name } of drifts) {
    if (found !== 'removed') continue;
    yield;
    const body = bodyOf(was.get(name)?.definition);
    if (body !== undefined) gone.set(body, name);
  }
  if (gone.size === 0) return [...drifts];
  const named: Drift[] = [];
  for (const drift of drifts) {
    if (drift.class === 'new') yield;
    const body = drift.class === 'new' ? bodyOf(is.get(drift.name)?.definition) : undefined;
    const formerName = body === undefined ? undefined : gone.get(body);
    named.push(formerName === undefined ? drift : { ...drift, class: 'renamed', formerName });
  }
  return named;
}

/** Undefined for what has no canonical form. */
function bodyOf({ description, inputSchema, arguments: taken, mimeType }: JsonObject = {}): string | undefined {
  try {
    return canonicalize({ description, inputSchema, taken, mimeType });
  } catch {
    return undefined;
  }
}
