// AI clients that live as long as the process: for embedders that leave the machine's files alone, and for tests.
import type { JsonObject } from '@portico/contracts';
import { AiClientError, type AiClients, type ClientChange } from './ai-clients.js';

export interface MemoryClient {
  readonly id: string;
  /** Definitions of its servers, without secrets. */
  readonly servers?: Readonly<Record<string, JsonObject>>;
}

/** Knows no client by default. Imports nothing. */
export function createMemoryAiClients(clients: readonly MemoryClient[] = []): AiClients {
  const attached = new Set<string>();
  const off = new Set<string>(); // client and server that were moved
  const pathOf = (id: string) => `/memory/${id}.json`;
  const servers = ({ id, servers: own = {} }: MemoryClient) => [
    ...Object.keys(own),
    ...(attached.has(id) ? ['portico'] : []),
  ];

  const find = (id: string): MemoryClient => {
    const client = clients.find((known) => known.id === id);
    if (client === undefined) throw new AiClientError('unknown', `no AI client "${id}"`);
    return client;
  };
  const change = async (id: string, apply: () => boolean): Promise<ClientChange> => {
    find(id);
    const changed = apply();
    return { client: id, path: pathOf(id), changed, backupPath: changed ? `${pathOf(id)}.backup` : null };
  };
  const attach = (id: string) => change(id, () => !attached.has(id) && attached.add(id).has(id));
  const detach = (id: string) => change(id, () => attached.delete(id));

  return {
    list: async (configured = {}) =>
      clients.map(({ id, servers: own = {} }) => ({
        id,
        name: id,
        path: pathOf(id),
        detected: true,
        attached: attached.has(id),
        direct_servers: Object.keys(own)
          .filter((name) => !off.has(`${id} ${name}`))
          .map((name) => ({ name, behind_as: Object.hasOwn(configured, name) ? name : null, problem: null })),
      })),
    ecosystem: async () =>
      clients.map((client) => ({
        id: client.id,
        name: client.id,
        path: pathOf(client.id),
        exists: true,
        servers: servers(client),
      })),
    sources: async (configuredIds) =>
      clients.flatMap(({ id, servers: own = {} }) =>
        Object.entries(own).map(([serverId, definition]) => ({
          client: id,
          path: pathOf(id),
          server_id: serverId,
          definition,
          already_configured: configuredIds.has(serverId),
        })),
      ),
    planImport: async () => ({ imported: [], skipped: [], errors: [] }),
    async planMove(id, names, configured) {
      const { servers: own = {} } = find(id);
      const chosen = Object.entries(own).filter(
        ([name]) => !off.has(`${id} ${name}`) && (names === null || names.includes(name)),
      );
      const servers = chosen.map(([name, definition]) => ({
        name,
        server_id: name,
        is_new: !Object.hasOwn(configured, name),
        definition,
        entry: { path: [], raw: definition },
        line: 1,
        switched_off_by: 'removed',
        scope: null,
        lost_fields: [],
        plain_secrets: [],
      }));
      const notAttached = attached.has(id) ? null : 'is not attached to Portico';
      return { client: id, name: id, path: pathOf(id), notAttached, servers, left: [] };
    },
    switchOff: (id, servers) => change(id, () => servers.map(({ name }) => off.add(`${id} ${name}`)).length > 0),
    attach,
    detach,
    undo: (id) => change(id, () => (attached.has(id) ? attached.delete(id) : attached.add(id).has(id))),
    preview: async (id, action) => ({
      path: pathOf(id),
      before: JSON.stringify(attached.has(id)),
      after: JSON.stringify(action === 'attach'),
      restores: [],
    }),
  };
}
