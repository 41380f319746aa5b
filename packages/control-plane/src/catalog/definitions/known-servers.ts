// The definitions of the servers beside the catalog: stored across restarts, and recovered by the next start. It writes
// in the background, and only changes.
import { digestOf } from '@portico/canonical-json';
import type { ServerEntries } from '@portico/catalog-core';
import type { Config, JsonObject, ServerConfig, ServerTraits, UpstreamDefinitions } from '@portico/contracts';
import { countOf, type KnownServer } from '@portico/upstream-pool';
import type { Log } from '../../common/log.js';
import { definitionsFingerprint } from '../../state/server-changes.js';
import type { DefinitionStore, StoredDefinitions } from './definition-store.js';

/** The definitions that were read from one server. */
export interface ReadDefinitions {
  readonly definitions: UpstreamDefinitions;
  readonly traits: ServerTraits;
}

export interface KnownServers {
  /**
   * The definitions that an earlier run stored for the servers as they are configured now; others are deleted. Never
   * rejects.
   */
  recover(config: Config): Promise<ReadonlyMap<string, ReadDefinitions>>;
  /** Notes what was recovered of a server. @param entries made of the definitions */
  adopt(id: string, server: ServerConfig, read: ReadDefinitions, entries: ServerEntries): void;
  /** Notes what a server has said, and keeps it where it is not kept yet. @param entries made of the definitions */
  note(id: string, server: ServerConfig, read: ReadDefinitions, entries: ServerEntries): void;
  /** Forgets the servers that are not configured any more. */
  retain(config: Config): void;
  /** The known definitions of a server with this configuration; undefined if that may list something else. */
  get(id: string, server: ServerConfig): KnownServer | undefined;
  /** Resolves when everything that was noted by now is kept, or could not be. */
  kept(): Promise<void>;
}

interface Known extends KnownServer {
  readonly fingerprint: string;
  /** Digest of everything that is stored. */
  readonly digest: string;
}

export function createKnownServers({
  store,
  log,
}: {
  readonly store: DefinitionStore;
  readonly log: Log;
}): KnownServers {
  const known = new Map<string, Known>();
  let writing = Promise.resolve();
  const inTurn = (write: () => Promise<void>) => {
    writing = writing
      .then(write)
      .catch((error: unknown) => log('error', 'definitions of servers are not kept over a restart', { error }));
  };

  return {
    async recover({ servers }) {
      const stored = await store.load().catch((error: unknown): readonly StoredDefinitions[] => {
        log('error', 'the definitions that an earlier run has kept cannot be read', { error });
        return [];
      });
      const isCurrent = ({ server: id, fingerprint }: StoredDefinitions) => {
        const server = servers.get(id);
        return server !== undefined && definitionsFingerprint(server) === fingerprint;
      };
      const current = stored.filter(isCurrent);
      if (stored.length > 0) inTurn(() => store.retain(current.map(({ server }) => server)));
      return new Map(current.map(({ server, definitions, traits }) => [server, { definitions, traits }]));
    },
    adopt(id, server, read, entries) {
      known.set(id, toKnown(server, read, entries));
    },
    note(id, server, read, entries) {
      const before = known.get(id);
      const now = toKnown(server, read, entries);
      known.set(id, now);
      if (before?.digest === now.digest) return;
      inTurn(() => store.save({ server: id, fingerprint: now.fingerprint, ...read }));
    },
    retain({ servers }) {
      const gone = [...known.keys()].filter((id) => !servers.has(id));
      if (gone.length === 0) return;
      for (const id of gone) known.delete(id);
      const left = [...servers.keys()];
      inTurn(() => store.retain(left));
    },
    get(id, server) {
      const found = known.get(id);
      return found?.fingerprint === definitionsFingerprint(server) ? found : undefined;
    },
    kept: () => writing,
  };
}

function toKnown(server: ServerConfig, { definitions, traits }: ReadDefinitions, entries: ServerEntries): Known {
  const fingerprint = definitionsFingerprint(server);
  const digest = digestOf({ fingerprint, traits: { ...traits }, entries: digestsOf(entries), ...aboutOf(entries) });
  return { fingerprint, digest, traits, counts: countOf(definitions) };
}

function aboutOf({ about }: ServerEntries): { readonly about?: JsonObject } {
  return about === undefined ? {} : { about: { ...about } };
}

/** In the order of the server: of two definitions with one name the first counts. */
function digestsOf({ capabilities, resources, prompts }: ServerEntries): string[][] {
  return [capabilities, resources, prompts].map((entries) => entries.map(({ digest }) => digest));
}
