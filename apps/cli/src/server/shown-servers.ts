// Servers as commands show them. A host that starts none knows only what is configured.
import { type JsonObject, nearOnes, type ServerInfo, shownCircuit, shownStatus } from '@portico/contracts';
import type { Session } from '../command.js';
import { CommandFailure } from '../failures.js';
import { isObject } from '../is-object.js';

/** Without a daemon nothing runs, and nothing else is known. */
export type ShownServer = { readonly id: string; readonly transport: ServerInfo['transport'] } & (
  | ServerInfo
  | ({ readonly [field in Exclude<keyof ServerInfo, 'id' | 'transport' | 'status'>]?: undefined } & {
      readonly status: 'not_running';
    })
);

export function statusOf(server: ShownServer): string {
  return server.status === 'not_running' ? server.status : shownStatus(server);
}

/** Undefined if nothing is connected whose circuit could be closed. */
export function circuitOf(server: ShownServer): string | undefined {
  return server.status === 'not_running' ? undefined : shownCircuit(server)?.state;
}

type Reached = Pick<Session, 'client' | 'url'>;

export async function listShown({ client, url }: Reached): Promise<readonly ShownServer[]> {
  if (url !== null) return (await client.listServers()).servers;
  return Object.entries(await definitionsOf({ client })).map(([id, definition]) => {
    const isHttp = isObject(definition) && definition.url !== undefined;
    return { id, transport: isHttp ? 'http' : 'stdio', status: 'not_running' };
  });
}

/** Entries of `mcpServers` by id, secrets masked. */
export async function definitionsOf({ client }: Pick<Session, 'client'>): Promise<JsonObject> {
  const { mcpServers } = (await client.getConfig()).config;
  return isObject(mcpServers) ? mcpServers : {};
}

/** One that is mounted. @throws CommandFailure */
export async function findServer({ client }: Pick<Session, 'client'>, id: string): Promise<ServerInfo> {
  return known(id, (await client.listServers()).servers);
}

/** @throws CommandFailure */
export async function findShown(reached: Reached, id: string): Promise<ShownServer> {
  return known(id, await listShown(reached));
}

function known<T extends { readonly id: string }>(id: string, servers: readonly T[]): T {
  const found = servers.find((server) => server.id === id);
  if (found !== undefined) return found;
  const near = nearOnes(
    id,
    servers.map((server) => server.id),
  );
  const meant = near.length === 0 ? '' : `; did you mean ${near.join(', ')}?`;
  throw new CommandFailure(`RESOURCE_NOT_FOUND: no server "${id}"${meant}\n"portico server list" shows what there is`);
}
