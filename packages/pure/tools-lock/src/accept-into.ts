// The lock after a person has accepted something. The one that is given is not changed.
import { identityDigest } from './compare.js';
import type { Drift } from './drift.js';
import type {
  Acceptance,
  ListedServer,
  LockedDefinition,
  LockedKind,
  LockedServer,
  ServerIdentity,
  ToolsLock,
} from './lock-file.js';

/**
 * Returns a lock in which the given differences are accepted; the given lock stays as it is.
 * @param listed the present lists of each configured server that has a difference
 */
export function acceptInto(
  lock: ToolsLock,
  drifts: readonly Drift[],
  listed: ReadonlyMap<string, ListedServer>,
  accepted: Acceptance,
): ToolsLock {
  const next = new Map(lock);
  for (const drift of drifts) {
    const { kind, server: id, name } = drift;
    const now = listed.get(id);
    if (now === undefined) {
      next.delete(id); // it is configured no more
      continue;
    }
    const server = next.get(id) ?? newServer(now.identity, accepted);
    if (kind === 'server') next.set(id, { ...server, ...identified(knownOf(server.identity, now)), accepted });
    else next.set(id, { ...server, lists: { ...server.lists, [kind]: accept(server, kind, name, now, accepted) } });
  }
  return next;
}

function accept(
  { lists }: LockedServer,
  kind: LockedKind,
  name: string,
  now: ListedServer,
  accepted: Acceptance,
): ReadonlyMap<string, LockedDefinition> {
  const definitions = new Map(lists[kind]);
  const found = now.lists[kind].get(name);
  if (found === undefined) definitions.delete(name);
  else definitions.set(name, { ...found, accepted });
  return definitions;
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
