// Selects the found servers that an import takes, under which ids, and why not the others. A pure function.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@portico/contracts';
import type { ImportedServer, ImportPlan, ImportProblem, SkippedServer } from '@portico/control-plane';
import { importId, isServerId } from './server-id.js';

/** A server in a client's file. */
export interface FoundServer {
  readonly client: string;
  readonly path: string;
  /** As the client's file has it. */
  readonly name: string;
  readonly definition: JsonObject;
}

export interface FoundServers {
  readonly found: readonly FoundServer[];
  /** Entries that cannot be a server of Portico. */
  readonly skipped: readonly SkippedServer[];
  readonly errors: readonly ImportProblem[];
}

export interface ImportRules {
  /** Ids that the configuration has. */
  readonly existingIds: ReadonlySet<string>;
  readonly overwrite: boolean;
}

/** Servers whose names are ids come first, so that a name that has to be changed never takes another one's id. */
export function planImport({ found, skipped, errors }: FoundServers, rules: ImportRules): ImportPlan {
  const imported: ImportedServer[] = [];
  const left: SkippedServer[] = [...skipped];
  const ordered = [...found.filter(({ name }) => isServerId(name)), ...found.filter(({ name }) => !isServerId(name))];
  const ids = importIds(ordered);
  for (const server of ordered) {
    const id = ids.get(server.name) ?? server.name;
    const reason = reasonToSkip(server, id, imported, rules);
    if (reason === undefined) imported.push({ server_id: id, client: server.client, definition: server.definition });
    else left.push({ server_id: id, client: server.client, reason });
  }
  return { imported, skipped: left, errors };
}

/** An id for each name, no two the same. */
export function importIds(servers: readonly Pick<FoundServer, 'name'>[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const names = new Set(servers.map(({ name }) => name));
  const ordered = [...names].sort((a, b) => Number(isServerId(b)) - Number(isServerId(a)));
  const taken = new Set<string>();
  for (const name of ordered) {
    const id = importId(name, taken);
    taken.add(id);
    ids.set(name, id);
  }
  return ids;
}

function reasonToSkip(
  server: FoundServer,
  id: string,
  imported: readonly ImportedServer[],
  { existingIds, overwrite }: ImportRules,
): string | undefined {
  const same = imported.find(({ definition }) => isDeepStrictEqual(definition, server.definition));
  if (same !== undefined) return `is the same server as ${same.server_id} of ${same.client}, which is imported`;
  const namesake = imported.find(({ server_id }) => server_id === id);
  if (namesake !== undefined) {
    return `${namesake.client} has another server of that id, which is imported; name this file as source_path to take this one`;
  }
  if (existingIds.has(id) && !overwrite)
    return 'a server of that id is configured; overwrite (--overwrite) replaces it';
  return undefined;
}
