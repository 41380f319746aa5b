// The AI clients of this machine: finds them, reads their files, and puts Portico's entry in and takes it out again.
import type { JsonObject } from '@portico/contracts';
import { AiClientError, type AiClients } from '@portico/control-plane';
import { isFolder } from '../whole-file.js';
import { createBackups } from './backups.js';
import type { ClientKind, ServeCommand, UserEnvironment } from './client.js';
import { createClientChanges } from './client-changes.js';
import { clientKinds } from './clients.js';
import { findServers } from './find-servers.js';
import { FormatProblem } from './formats/file-format.js';
import { locateFile } from './locate-file.js';
import { directServers, planMove } from './moves/plan-move.js';
import { isAttached, whyNotAttached } from './plan-change.js';
import { importIds, planImport } from './plan-import.js';
import { readFoundServers } from './read-found-servers.js';

export interface AiClientsOptions {
  readonly user: UserEnvironment;
  /** Where copies of files are kept before they are changed. */
  readonly backupFolder: string;
  /** The command that an attached client runs. */
  readonly serve: ServeCommand;
  readonly epochMs: () => number;
  /** A definition as it may be shown. */
  readonly mask: (definition: JsonObject) => JsonObject;
}

/** Reads the files again for every request. */
export function createAiClients({ user, backupFolder, serve, epochMs, mask }: AiClientsOptions): AiClients {
  const changes = createClientChanges({ user, serve, backups: createBackups(backupFolder, epochMs) });
  const overAll = <T>(look: (kind: ClientKind) => Promise<T>) => Promise.all(clientKinds.map(look));

  return {
    list: (configured = {}) =>
      overAll(async (kind) => {
        const located = await locateFile(kind, user);
        const { id, name } = kind;
        const exists = 'problem' in located || located.file !== null;
        const detected = exists || (await isFolder(kind.folder(user)));
        const attached = !('problem' in located) && readOr(false, () => isAttached(kind, located.text));
        const text = 'problem' in located ? null : located.text;
        const direct_servers = text === null ? [] : readOr([], () => directServers(kind, text, configured));
        return { id, name, path: located.path, detected, attached, direct_servers };
      }),
    ecosystem: () =>
      overAll(async (kind) => {
        const located = await locateFile(kind, user);
        const { id, name } = kind;
        if ('problem' in located) return { id, name, path: located.path, exists: true, servers: [] };
        const { path, text } = located;
        const names = text === null ? [] : readOr([], () => findServers(kind, text).map((server) => server.name));
        return { id, name, path, exists: text !== null, servers: [...new Set(names)] };
      }),
    async sources(configuredIds) {
      const { found } = await readFoundServers(user, null);
      const ids = importIds(found);
      return found.map(({ client, path, name, definition }) => {
        const server_id = ids.get(name) ?? name;
        const already_configured = configuredIds.has(server_id);
        return { client, path, server_id, definition: mask(definition), already_configured };
      });
    },
    planImport: async ({ sourcePath, ...rules }) => planImport(await readFoundServers(user, sourcePath), rules),
    async planMove(id, names, configured) {
      const kind = kindOf(id);
      const located = await locateFile(kind, user);
      const { path } = located;
      const refuse = (reason: string) => new AiClientError('unusable', `${kind.name}, ${path}: ${reason}`);
      if ('problem' in located) throw refuse(located.problem.message);
      const text = located.text ?? '';
      try {
        const unknown = (names ?? []).find((name) => !findServers(kind, text).some((server) => server.name === name));
        if (unknown !== undefined) throw refuse(`there is no server "${unknown}"; ${sayServers(kind, text)}`);
        const notAttached = whyNotAttached(kind, located.text, serve);
        return { client: id, name: kind.name, path, notAttached, ...planMove(kind, text, names, configured) };
      } catch (error) {
        if (error instanceof FormatProblem) throw refuse(error.message);
        throw error;
      }
    },
    switchOff: async (id, servers) => {
      const entries = servers.map(({ name, entry }) => ({ ...entry, name }));
      return changes.switchOff(kindOf(id), entries);
    },
    attach: async (id) => changes.attach(kindOf(id)),
    detach: async (id) => changes.detach(kindOf(id)),
    undo: async (id) => changes.undo(kindOf(id)),
    preview: async (id, action) => changes.preview(kindOf(id), action),
  };
}

/** @throws AiClientError unknown, as a rejection of the caller's promise */
function kindOf(id: string): ClientKind {
  const kind = clientKinds.find((known) => known.id === id);
  if (kind !== undefined) return kind;
  const ids = clientKinds.map((known) => known.id).join(', ');
  throw new AiClientError('unknown', `no AI client "${id}"; known are ${ids}`);
}

function sayServers(kind: ClientKind, text: string): string {
  const names = findServers(kind, text).flatMap(({ name, isOwn }) => (isOwn ? [] : [name]));
  return names.length === 0 ? 'it has none of its own' : `its own are ${names.join(', ')}`;
}

function readOr<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormatProblem) return otherwise;
    throw error;
  }
}
