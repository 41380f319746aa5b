// The servers in the files of the user's AI clients, as the configuration would have them.
import { type AiClients, type ImportedServer, openUserClients } from '@portico/host';
import { ownMcpStdio } from '../own-command.js';

export interface Found {
  readonly servers: readonly ImportedServer[];
  /** Servers that were left out and files that could not be read, a line each. */
  readonly left: readonly string[];
}

/** A client that is not known. */
export class UnknownClient extends Error {}

export function openClients(configFile: string): AiClients {
  return openUserClients({ configFile, env: process.env, mcpStdio: ownMcpStdio() });
}

/** @param from ids of clients; those of all where there are none. @throws UnknownClient */
export async function findServers(clients: AiClients, from: readonly string[]): Promise<Found> {
  const paths = from.length === 0 ? [null] : await pathsOf(clients, from);
  const servers: ImportedServer[] = [];
  const left: string[] = [];
  for (const sourcePath of paths) {
    const existingIds = new Set(servers.map(({ server_id }) => server_id));
    const { imported, skipped, errors } = await clients.planImport({ existingIds, overwrite: false, sourcePath });
    servers.push(...imported);
    left.push(...skipped.map(({ server_id, client, reason }) => `${server_id} of ${client}: ${reason}`));
    left.push(...errors.map(({ path, message }) => `${path}: ${message}`));
  }
  return { servers, left };
}

async function pathsOf(clients: AiClients, from: readonly string[]): Promise<readonly string[]> {
  const known = await clients.list();
  return from.map((id) => {
    const client = known.find((each) => each.id === id);
    if (client !== undefined) return client.path;
    throw new UnknownClient(`there is no AI client "${id}"; known are ${known.map((each) => each.id).join(', ')}`);
  });
}
