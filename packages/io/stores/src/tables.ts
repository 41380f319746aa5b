// The tables of the state database as queries see them; the migrations create them. Says nothing about one database.
import type { Generated, Selectable } from 'kysely';

export interface ExecutionsTable {
  /** Counts up in the order of insertion, and is never used twice. */
  readonly seq: Generated<number>;
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly capability_id: string;
  readonly first_trace_id: string;
  /** Milliseconds since the Unix epoch, as every column of this ending. A dialect must give them as numbers. */
  readonly created_at_ms: number;
  readonly completed_at_ms: number | null;
  /** Null until it is completed: it does not expire. */
  readonly expires_at_ms: number | null;
  readonly response: string;
  readonly replay_count: number;
}

export interface ApprovalsTable {
  readonly seq: Generated<number>;
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly capability_id: string;
  readonly server_id: string;
  /** JSON text, as are `sanitized_args`, `correlation` and `decision`. */
  readonly args: string;
  readonly sanitized_args: string;
  readonly correlation: string;
  readonly principal: string;
  readonly profile: string | null;
  readonly role: string | null;
  readonly actor: string | null;
  /** Null together with `fingerprint`. */
  readonly key: string | null;
  readonly fingerprint: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly status: 'pending' | 'approved' | 'rejected' | 'expired';
  /** The status with all that belongs to it. */
  readonly decision: string;
  readonly run_state: 'none' | 'started' | 'finished';
  /** JSON text of the envelope, once the run has finished. */
  readonly result: string | null;
}

export interface SamplingTable {
  readonly seq: Generated<number>;
  readonly server_id: string;
  /** JSON text, as are `correlation` and `result`. */
  readonly params: string;
  readonly origin: 'http' | 'upstream';
  readonly correlation: string | null;
  readonly principal: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly status: 'pending' | 'completed' | 'expired';
  /** Once it is completed. */
  readonly result: string | null;
}

export interface TasksTable {
  readonly seq: Generated<number>;
  readonly id: string;
  readonly principal: string;
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly capability_id: string;
  readonly request_id: string | null;
  readonly key: string | null;
  readonly trace_id: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly status_message: string | null;
  readonly created_at_ms: number;
  readonly updated_at_ms: number;
  /** JSON text, as is `result`. */
  readonly input_requests: string | null;
  readonly result: string | null;
}

export interface CatalogEventsTable {
  readonly seq: Generated<number>;
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly object_type: 'capability' | 'resource' | 'prompt';
  readonly object_id: string;
  readonly change_type: 'added' | 'removed' | 'updated';
  readonly catalog_version: string;
}

export interface CatalogEntriesTable {
  readonly object_type: 'capability' | 'resource' | 'prompt';
  readonly id: string;
  readonly server: string;
  readonly digest: string;
}

export interface OAuthTable {
  /** Id of the upstream server. */
  readonly server: string;
  /** Of the authorization server. */
  readonly issuer: string;
  /** Id of the key: where it is kept, a colon, and what tells it from others. */
  readonly sealed_with: string;
  /** What `seal` made of the record. */
  readonly sealed: Uint8Array;
}

export interface AuditHeadsTable {
  /** The path of the file, as in every column of this name. */
  readonly log: string;
  readonly seq: number;
  readonly hash: string;
  /** Where the record of `seq` ends in the file, its line feed included. */
  readonly end_offset: number;
}

/** Records that follow one another in a log, and in its file without anything between them. */
export interface AuditBlocksTable {
  readonly log: string;
  readonly first_seq: number;
  /** How `columns` is laid out; rows of another format are made anew. */
  readonly format: number;
  readonly count: number;
  readonly start_offset: number;
  readonly end_offset: number;
  /** Hash of its last record. */
  readonly hash: string;
  readonly min_ms: number;
  readonly max_ms: number;
  /** JSON array of the texts that `columns` names by number. */
  readonly terms: string;
  readonly columns: Uint8Array;
}

export interface SiemCursorsTable {
  readonly target: string;
  readonly log: string;
  readonly seq: number;
}

export interface SearchVectorsTable {
  /** Which model it is of, with everything that it depends on. */
  readonly model: string;
  /** Of the definition. */
  readonly digest: string;
  /** IEEE 754 values of four bytes, the lowest byte first. */
  readonly vector: Uint8Array;
  readonly used_at_ms: number;
}

export interface DefinitionsTable {
  /** Id of the upstream server. */
  readonly server: string;
  /** Of the configuration of the server that they were read of. */
  readonly fingerprint: string;
  /** JSON text, as are `definitions`. */
  readonly traits: string;
  readonly definitions: string;
}

export interface Tables {
  readonly executions: ExecutionsTable;
  readonly approvals: ApprovalsTable;
  readonly sampling: SamplingTable;
  readonly tasks: TasksTable;
  readonly catalog_events: CatalogEventsTable;
  readonly catalog_entries: CatalogEntriesTable;
  readonly oauth: OAuthTable;
  readonly audit_heads: AuditHeadsTable;
  readonly audit_blocks: AuditBlocksTable;
  readonly siem_cursors: SiemCursorsTable;
  readonly search_vectors: SearchVectorsTable;
  readonly definitions: DefinitionsTable;
}

/** A table that is missing here does not compile. */
const tables: Readonly<Record<keyof Tables, true>> = {
  executions: true,
  approvals: true,
  sampling: true,
  tasks: true,
  catalog_events: true,
  catalog_entries: true,
  oauth: true,
  audit_heads: true,
  audit_blocks: true,
  siem_cursors: true,
  search_vectors: true,
  definitions: true,
};

/** Every table. */
export const tableNames = Object.keys(tables) as readonly (keyof Tables)[]; // its keys are those of its type

export type ExecutionRow = Selectable<ExecutionsTable>;
export type ApprovalRow = Selectable<ApprovalsTable>;
export type SamplingRow = Selectable<SamplingTable>;
export type TaskRow = Selectable<TasksTable>;
export type AuditBlockRow = Selectable<AuditBlocksTable>;
