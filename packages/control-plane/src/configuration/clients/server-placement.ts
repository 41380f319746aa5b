// The part of the configuration that moving servers of an AI client needs.
import { type JsonObject, PorticoError, type ServerInfo } from '@portico/contracts';
import type { ConfigAuthor } from '../../audit/change-draft.js';
import type { ConfiguredServers } from './ai-clients.js';

export interface PlacedServer {
  readonly server_id: string;
  readonly definition: JsonObject;
}

/** The state that is needed to undo the change without a trace. */
export interface Placed {
  /** Whether the configuration had no `mcpServers` before. */
  readonly hasMadeMap: boolean;
}

export interface ServerPlacement {
  /** The configuration, as messages name it. */
  readonly path: string;
  /** The definitions of the file in force, with their secrets. */
  definitions(): ConfiguredServers;
  /**
   * Adds servers in one change; replaces none. @throws PorticoError, with nothing changed; where the file had them
   * already, they are removed again, or the message names those that may still be there
   */
  add(by: ConfigAuthor, client: string, servers: readonly PlacedServer[]): Promise<Placed>;
  /** Removes servers that `add` has added and that are as they were. @throws PorticoError */
  remove(by: ConfigAuthor, client: string, servers: readonly PlacedServer[], placed: Placed): Promise<void>;
  /**
   * Starts a server, also before the service has started its servers, and resolves after its first attempt or 5
   * seconds.
   */
  attempt(id: string): Promise<ServerInfo | undefined>;
}

/** Why servers may still be in the configuration after a failure, and how to remove them. */
export function sayStillPlaced(path: string, servers: readonly PlacedServer[], problem: unknown): string {
  const ids = servers.map(({ server_id }) => server_id);
  const next = ids.map((id) => `portico server remove ${id}`).join(', ');
  return `${ids.join(', ')} could not be removed from ${path} again (${messageOf(problem)}); see to it with ${next}`;
}

/** A failure after which servers may still be in the configuration. */
export function toStillPlaced(error: unknown, said: string): PorticoError {
  return new PorticoError('INTERNAL_ERROR', `${messageOf(error)}; ${said}`, { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
