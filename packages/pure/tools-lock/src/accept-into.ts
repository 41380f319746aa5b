// The lock after a person has accepted something. The one that is given is not changed.
import { driftId, identityDigest } from './compare.js';
import type { Drift } from './drift.js';
import type {
  Acceptance,
  ListedDefinition,
  ListedServer,
  LockedDefinition,
  LockedKind,
  LockedServer,
  ServerIdentity,
  ToolsLock,
} from './lock-file.js';

/** An acceptance of definitions whose server is not in the lock, without the server itself. */
export class ServerNotAccepted extends Error {
  /** @param ids of the differences of these servers */
  constructor(ids: readonly string[]) {
    const named = ids.slice(0, 5).map((id) => `"${id}"`);
    const rest = ids.length > named.length ? ` and ${ids.length - named.length} more` : '';
    super(
      `a definition is accepted with its server, which is not in the lock yet: name ${named.join(', ')}${rest} as well`,
    );
    this.name = 'ServerNotAccepted';
  }
}

/**
 * Returns a lock in which the given differences are accepted; the given lock stays as it is.
 * @param listed the present lists of each configured server that has a difference
 * @throws ServerNotAccepted if a definition is of a server that is neither in the lock nor among the differences
 */
export function acceptInto(
  lock: ToolsLock,
  drifts: readonly Drift[],
  listed: ReadonlyMap<string, ListedServer>,
  accepted: Acceptance,
): ToolsLock {
  const next = new Map(lock);
  const servers = byServer(drifts);
  mustHaveServers(lock, servers);
  for (const [id, own] of servers) {
    const now = listed.get(id);
    if (now === undefined)
      next.delete(id); // it is configured no more
    else next.set(id, acceptedServer(next.get(id) ?? newServer(now.identity, accepted), own, now, accepted));
  }
  return next;
}

/** Otherwise the identity of a server would be accepted that nothing in the acceptance shows. */
function mustHaveServers(lock: ToolsLock, servers: ReadonlyMap<string, readonly Drift[]>): void {
  const unnamed = [...servers].filter(([id, own]) => !lock.has(id) && !own.some(({ kind }) => kind === 'server'));
  if (unnamed.length > 0) throw new ServerNotAccepted(unnamed.map(([id]) => driftId('server', id)));
}

function byServer(drifts: readonly Drift[]): ReadonlyMap<string, readonly Drift[]> {
  const servers = new Map<string, Drift[]>();
  for (const drift of drifts) {
    const own = servers.get(drift.server);
    if (own === undefined) servers.set(drift.server, [drift]);
    else own.push(drift);
  }
  return servers;
}

/** Copies each list once: thousands of definitions may be accepted at a time. */
function acceptedServer(
  server: LockedServer,
  drifts: readonly Drift[],
  now: ListedServer,
  accepted: Acceptance,
): LockedServer {
  const lists: Record<LockedKind, Map<string, LockedDefinition>> = {
    tool: new Map(server.lists.tool),
    prompt: new Map(server.lists.prompt),
    resource_template: new Map(server.lists.resource_template),
  };
  let next = server;
  for (const { kind, name } of drifts) {
    if (kind === 'server') next = { ...next, ...identified(knownOf(next.identity, now)), accepted };
    else accept(lists[kind], name, now.lists[kind].get(name), accepted);
  }
  return { ...next, lists };
}

function accept(
  definitions: Map<string, LockedDefinition>,
  name: string,
  found: ListedDefinition | undefined,
  accepted: Acceptance,
): void {
  if (found === undefined) definitions.delete(name);
  else definitions.set(name, { ...found, accepted });
}

/** Members that are not known now keep their accepted values. */
function knownOf(before: ServerIdentity, { identity: now, hasNoPackage = false }: ListedServer): ServerIdentity {
  const { instructions, package: found, ...kept } = before;
  return {
    ...kept,
    ...(hasNoPackage || found === undefined ? {} : { package: found }),
    ...(now.info !== undefined || instructions === undefined ? {} : { instructions }),
    ...now,
  };
}

function newServer(identity: ServerIdentity, accepted: Acceptance): LockedServer {
  const lists = { tool: new Map(), prompt: new Map(), resource_template: new Map() };
  return { ...identified(identity), accepted, lists };
}

function identified(identity: ServerIdentity): Pick<LockedServer, 'identity' | 'digest'> {
  return { identity, digest: identityDigest(identity) };
}
