// The port to AI clients of this machine: finding them, what their files hold, and Portico's own entry in those files.
import type { AiClient, EcosystemClient, JsonObject, ServerSource } from '@portico/contracts';

/** A client's file after an attach, a detach or an undo. */
export interface ClientChange {
  readonly client: string;
  readonly path: string;
  /** Whether anything was written. */
  readonly changed: boolean;
  /** The file as it was before; null if nothing was written, or there was no file. */
  readonly backupPath: string | null;
}

/** Texts of a client's file; null for no file. They contain the secrets of the file. */
export interface ClientPreview {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Names of moved servers that detaching puts back as well, which `after` does not show. */
  readonly restores: readonly string[];
}

/** Definitions of the configuration by their ids, with their secrets. */
export type ConfiguredServers = Readonly<Record<string, JsonObject>>;

/** The effect of moving servers of a client behind Portico. */
export interface ClientMovePlan {
  readonly client: string;
  /** Name of the client, for messages. */
  readonly name: string;
  readonly path: string;
  /** Why the client does not run Portico with this configuration, as a message says it; null if it does. */
  readonly notAttached: string | null;
  readonly servers: readonly MovableServer[];
  readonly left: readonly LeftServer[];
}

export interface MovableServer {
  /** As the client's file has it. */
  readonly name: string;
  /** Its id in the configuration. */
  readonly server_id: string;
  /** Whether the configuration does not have it yet. */
  readonly is_new: boolean;
  /** As an entry of `mcpServers`, with its secrets. */
  readonly definition: JsonObject;
  /** Where it is in the file and what is there, with its secrets. */
  readonly entry: { readonly path: readonly string[]; readonly raw: unknown };
  readonly line: number;
  /** `removed`, or the field that turns it off, such as `enabled: false`. */
  readonly switched_off_by: string;
  /** The folder that it was for alone; null for none. */
  readonly scope: string | null;
  /** Fields of its entry that Portico has no equivalent of. */
  readonly lost_fields: readonly string[];
  /** Names of fields that hold secrets as they are. */
  readonly plain_secrets: readonly string[];
}

export interface LeftServer {
  readonly name: string;
  readonly reason: string;
}

export interface ImportRequest {
  /** Ids that the configuration has. */
  readonly existingIds: ReadonlySet<string>;
  readonly overwrite: boolean;
  /** Absolute path of the one file to read; null for the files of all known clients. */
  readonly sourcePath: string | null;
}

/** The effect of an import. The caller writes it into the configuration. */
export interface ImportPlan {
  readonly imported: readonly ImportedServer[];
  readonly skipped: readonly SkippedServer[];
  readonly errors: readonly ImportProblem[];
}

export interface ImportedServer {
  /** Its id in the configuration. */
  readonly server_id: string;
  readonly client: string;
  /** As an entry of `mcpServers`, with its secrets. */
  readonly definition: JsonObject;
}

export interface SkippedServer {
  readonly server_id: string;
  readonly client: string;
  readonly reason: string;
}

/** A file that could not be read. */
export interface ImportProblem {
  readonly path: string;
  readonly message: string;
}

/** `unknown`: there is no such client. `unusable`: its file does not allow it, and why. */
export class AiClientError extends Error {
  readonly code: 'unknown' | 'unusable';

  constructor(code: AiClientError['code'], message: string) {
    super(message);
    this.name = 'AiClientError';
    this.code = code;
  }
}

export interface AiClients {
  /** @param configured what servers of their own are compared with (default: none) */
  list(configured?: ConfiguredServers): Promise<readonly AiClient[]>;
  ecosystem(): Promise<readonly EcosystemClient[]>;
  /** @param configuredIds ids that the configuration has */
  sources(configuredIds: ReadonlySet<string>): Promise<readonly ServerSource[]>;
  planImport(request: ImportRequest): Promise<ImportPlan>;
  /** @param names servers of its file; null for all that can be moved. @throws AiClientError */
  planMove(id: string, names: readonly string[] | null, configured: ConfiguredServers): Promise<ClientMovePlan>;
  /** Has the client leave these servers out, which `detach` and `undo` put back. @throws AiClientError */
  switchOff(id: string, servers: readonly MovableServer[]): Promise<ClientChange>;
  /** Writes nothing where it has been done already. @throws AiClientError */
  attach(id: string): Promise<ClientChange>;
  /** Writes nothing where Portico is not attached. @throws AiClientError */
  detach(id: string): Promise<ClientChange>;
  /** Puts the last backup back, byte for byte; what it replaces becomes the last backup. @throws AiClientError */
  undo(id: string): Promise<ClientChange>;
  /** The file after an `attach` or `detach`. @throws AiClientError */
  preview(id: string, action: 'attach' | 'detach'): Promise<ClientPreview>;
}
