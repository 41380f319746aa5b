// The port to where the last known definitions of every server are kept, so that a start knows them before any server is
// connected.
import type { ServerTraits, UpstreamDefinitions } from '@portico/contracts';

export interface StoredDefinitions {
  readonly server: string;
  /** Fingerprint of the configuration of the server that they were read from. */
  readonly fingerprint: string;
  readonly traits: ServerTraits;
  readonly definitions: UpstreamDefinitions;
}

export interface DefinitionStore {
  /** Everything that is stored, in any order. Unreadable entries are left out. */
  load(): Promise<readonly StoredDefinitions[]>;
  /** In place of what was kept of the server. */
  save(stored: StoredDefinitions): Promise<void>;
  /** Deletes what is kept of all servers but these; where others share it, of those that were among these before. */
  retain(servers: readonly string[]): Promise<void>;
}

/** Lives as long as the process. */
export function createMemoryDefinitionStore(): DefinitionStore {
  const kept = new Map<string, StoredDefinitions>();
  return {
    load: async () => [...kept.values()],
    async save(stored) {
      kept.set(stored.server, stored);
    },
    async retain(servers) {
      for (const server of kept.keys()) if (!servers.includes(server)) kept.delete(server);
    },
  };
}
