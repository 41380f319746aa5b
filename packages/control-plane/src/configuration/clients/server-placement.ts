// What moving servers of an AI client needs of the configuration.
import type { JsonObject, ServerInfo } from '@portico/contracts';
import type { ConfigAuthor } from '../../audit/change-draft.js';
import type { ConfiguredServers } from './ai-clients.js';

export interface PlacedServer {
  readonly server_id: string;
  readonly definition: JsonObject;
}

/** What has to be known to leave no trace of it. */
export interface Placed {
  /** Whether the configuration had no `mcpServers` before. */
  readonly hasMadeMap: boolean;
}

export interface ServerPlacement {
  /** The configuration, as messages name it. */
  readonly path: string;
  /** Of the file in force, with their secrets. */
  definitions(): ConfiguredServers;
  /** Adds servers in one change; replaces none. @throws PorticoError, with nothing changed */
  add(by: ConfigAuthor, client: string, servers: readonly PlacedServer[]): Promise<Placed>;
  /** Removes servers that `add` has added and that are as they were. @throws PorticoError */
  remove(by: ConfigAuthor, client: string, servers: readonly PlacedServer[], placed: Placed): Promise<void>;
  /** Starts a server, also where none is started yet, and resolves after its first attempt or 5 seconds. */
  attempt(id: string): Promise<ServerInfo | undefined>;
}
