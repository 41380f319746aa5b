// The port to AI clients of this machine: finding them, what their files hold, and Portico's own entry in those files.
import type { AiClient, EcosystemClient, JsonObject, ServerSource } from '@portico/contracts';

/** A client's file after an attach, a detach or an undo. */
export interface ClientChange {
  readonly client: string;
  readonly path: string;
  /** Whether anything was written. */
  readonly changed: boolean;
  /** The file as it was before; null where nothing was written, or there was no file. */
  readonly backupPath: string | null;
}

/** Texts of a client's file; null for no file. They hold whatever secrets the file holds. */
export interface ClientPreview {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface ImportRequest {
  /** Ids that the configuration has. */
  readonly existingIds: ReadonlySet<string>;
  readonly overwrite: boolean;
  /** Absolute path of the one file to read; null for the files of all known clients. */
  readonly sourcePath: string | null;
}

/** What an import would do. The one who asks writes it into the configuration. */
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
  list(): Promise<readonly AiClient[]>;
  ecosystem(): Promise<readonly EcosystemClient[]>;
  /** @param configuredIds ids that the configuration has */
  sources(configuredIds: ReadonlySet<string>): Promise<readonly ServerSource[]>;
  planImport(request: ImportRequest): Promise<ImportPlan>;
  /** Writes nothing where it has been done already. @throws AiClientError */
  attach(id: string): Promise<ClientChange>;
  /** Writes nothing where Portico is not attached. @throws AiClientError */
  detach(id: string): Promise<ClientChange>;
  /** Puts the last backup back, byte for byte; what it replaces becomes the last backup. @throws AiClientError */
  undo(id: string): Promise<ClientChange>;
  /** What `attach` or `detach` would make of the file. @throws AiClientError */
  preview(id: string, action: 'attach' | 'detach'): Promise<ClientPreview>;
}
