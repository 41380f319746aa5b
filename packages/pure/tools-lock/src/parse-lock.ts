// From the text of the lock file to the lock, or why it cannot be used. A file that was changed by hand is found by its
// digests: what was accepted is the definition that stands there.
import type { Steps } from '@portico/async';
import { digestOf } from '@portico/canonical-json';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '@portico/contracts';
import {
  type Acceptance,
  type LockedDefinition,
  type LockedKind,
  type LockedServer,
  listNames,
  lockedKinds,
  lockVersion,
  type ServerIdentity,
  type ToolsLock,
} from './lock-file.js';

export type LockFault = 'unreadable' | 'merge_conflict' | 'newer' | 'hand_edited';

/** Why a lock file cannot be used. The message names the place and the next step. */
export class UnusableLock extends Error {
  readonly fault: LockFault;

  constructor(fault: LockFault, message: string) {
    super(message);
    this.name = 'UnusableLock';
    this.fault = fault;
  }
}

const definitionsInOneStep = 64;

/**
 * Parses the text of a lock file, in steps between which a caller may yield the event loop.
 * @throws UnusableLock for text that is no lock file, has a newer version, merge markers, or an entry whose digest does not match
 */
export function* parseLock(text: string): Steps<ToolsLock> {
  const file = readFile(text);
  const servers = member(file, 'servers', isJsonObject, 'an object');
  const lock = new Map<string, LockedServer>();
  for (const [id, server] of Object.entries(servers)) lock.set(id, yield* readServer(id, server));
  return lock;
}

/**
 * A lock of none of the configured servers belongs to another configuration. Says so, or gives undefined.
 * @param configured ids
 */
export function otherConfiguration(lock: ToolsLock, configured: readonly string[]): string | undefined {
  if (lock.size === 0 || configured.length === 0 || configured.some((id) => lock.has(id))) return undefined;
  const [locked, servers] = [[...lock.keys()], configured].map((ids) => ids.slice(0, 5).join(', '));
  return `it is the lock of another configuration: it has the servers ${locked}, and none of ${servers}. Name its own file in lock.file`;
}

function readFile(text: string): JsonObject {
  const conflict = /^(?:<{7}|={7}|>{7})(?: |$|\r)/m.exec(text);
  if (conflict !== null) {
    const line = text.slice(0, conflict.index).split('\n').length;
    const message = `line ${line} is a conflict of a merge: take one side, then review with portico lock diff`;
    throw new UnusableLock('merge_conflict', message);
  }
  let file: unknown;
  try {
    file = parseJson(text);
  } catch (error) {
    throw unreadable(`it is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isJsonObject(file)) throw unreadable('it is no JSON object');
  const version = file.lockVersion;
  if (typeof version === 'number' && version > lockVersion) {
    const message = `it has lockVersion ${version}, and this Portico reads up to ${lockVersion}: update Portico`;
    throw new UnusableLock('newer', message);
  }
  if (version !== lockVersion) throw unreadable(`lockVersion is ${JSON.stringify(version)}, expected ${lockVersion}`);
  return file;
}

function* readServer(id: string, value: JsonValue | undefined): Steps<LockedServer> {
  const at = `servers.${id}`;
  if (!isJsonObject(value)) throw unreadable(`${at} is no object`);
  const identity = member(value, 'server', isJsonObject, 'an object', at);
  member(identity, 'program', isText, 'a text', `${at}.server`);
  const digest = member(value, 'digest', isText, 'a text', at);
  if (digestOf(identity) !== digest) throw handEdited(`${at}.server`);
  const lists = {} as Record<LockedKind, ReadonlyMap<string, LockedDefinition>>;
  for (const kind of lockedKinds) lists[kind] = yield* readList(id, `${at}.${listNames[kind]}`, value[listNames[kind]]);
  return {
    identity: identity as unknown as ServerIdentity, // what is not read as it is compares as different
    digest,
    accepted: readAcceptance(value, at),
    lists,
  };
}

function* readList(server: string, at: string, value: JsonValue | undefined): Steps<Map<string, LockedDefinition>> {
  const definitions = new Map<string, LockedDefinition>();
  if (value === undefined) return definitions;
  if (!isJsonObject(value)) throw unreadable(`${at} is no object`);
  for (const [name, entry] of Object.entries(value)) {
    const place = `${at}.${name}`;
    if (!isJsonObject(entry)) throw unreadable(`${place} is no object`);
    const definition = member(entry, 'definition', isJsonObject, 'an object', place);
    const digest = member(entry, 'digest', isText, 'a text', place);
    if (digestOfDefinition(server, name, definition) !== digest) throw handEdited(place);
    definitions.set(name, { digest, definition, accepted: readAcceptance(entry, place) });
    if (definitions.size % definitionsInOneStep === 0) yield;
  }
  return definitions;
}

/** As the digest of the catalog's entry. */
export function digestOfDefinition(server: string, name: string, definition: JsonObject): string {
  return digestOf({ id: `${server}.${name}`, server, definition });
}

function readAcceptance(of: JsonObject, at: string): Acceptance {
  const accepted = member(of, 'accepted', isJsonObject, 'an object', at);
  return {
    by: member(accepted, 'by', isText, 'a text', `${at}.accepted`),
    at: member(accepted, 'at', isText, 'a text', `${at}.accepted`),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function member<T>(
  of: JsonObject,
  name: string,
  isExpected: (value: unknown) => value is T,
  expected: string,
  at?: string,
): T {
  const value = of[name];
  if (isExpected(value)) return value;
  throw unreadable(`${at === undefined ? name : `${at}.${name}`} is not ${expected}`);
}

function unreadable(problem: string): UnusableLock {
  return new UnusableLock(
    'unreadable',
    `${problem}. Restore it from version control, or write it with portico lock init`,
  );
}

function handEdited(at: string): UnusableLock {
  const message = `${at} was changed by hand: its digest is of another text. Restore it, or review what servers list with portico lock diff and portico lock accept`;
  return new UnusableLock('hand_edited', message);
}
