// The tables of the state database as queries see them; the migrations create them. Says nothing about one database.
import type { AuditEventType, AuditStatus } from '@portico/audit-chain';
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
  /** Id of the daemon that runs it, as in every column of this name; null for what earlier versions have written. */
  readonly owner: string | null;
  /** 1 where another daemon waits for its end. */
  readonly is_awaited: Generated<number>;
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
  /** JSON text of where the call comes from; null if that is not known. */
  readonly source: string | null;
  readonly rule: string | null;
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
  /** The daemon that expires or runs it. */
  readonly owner: string | null;
  /** JSON text of what it asks about. Null, together with its digest, where that is not known. */
  readonly definition: string | null;
  readonly definition_digest: string | null;
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
  /** The daemon that expires it. */
  readonly owner: string | null;
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
  /** JSON text, as that of `approvals`. */
  readonly source: string | null;
  readonly owner: string | null;
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
  /** Issuer of the authorization server. */
  readonly issuer: string;
  /** Id of the key: where it is kept, a colon, and its digest. */
  readonly sealed_with: string;
  /** The record, encrypted by `seal`. */
  readonly sealed: Uint8Array;
}

export interface AuditHeadsTable {
  /** The key of the log by `audit/log-key.ts`, as in every column of this name. */
  readonly log: string;
  readonly seq: number;
  readonly hash: string;
  /** Where the record of `seq` ends in the file, its line feed included; 0 where the records are in the database. */
  readonly end_offset: number;
  /** For a chain in the database: identifies the process that may continue it. */
  readonly writer: string | null;
}

/** Records that follow one another in a log, and in its file without anything between them. */
export interface AuditBlocksTable {
  readonly log: string;
  readonly first_seq: number;
  /** How `columns` is laid out; rows of another format are made again. */
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

/** One row says which ids the block with the same first position may hold. */
export interface AuditBlockIdsTable {
  readonly log: string;
  readonly first_seq: number;
  /** As `audit/id-filter.ts` makes it. */
  readonly id_filter: Uint8Array;
}

/** One row is one signed checkpoint of a chain. */
export interface AuditCheckpointsTable {
  readonly chain_id: string;
  readonly seq: number;
  /** The signed text and its signature; the other columns repeat its fields. */
  readonly line: string;
}

/** One row is one record. All columns but `order_ms` repeat what is in `line`, for queries. */
export interface AuditRecordsTable {
  /** Id of the state directory of the daemon whose records they are. */
  readonly chain_id: string;
  readonly seq: number;
  /** The time of the record, or that of the latest before it in its chain: no chain ever goes back. */
  readonly order_ms: number;
  /** Null if its timestamp is no time. */
  readonly at_ms: number | null;
  readonly event_type: AuditEventType;
  readonly status: AuditStatus;
  /** As `toTerm` has it, as are those that follow. */
  readonly trace_id: string | null;
  readonly actor_id: string | null;
  readonly server_id: string | null;
  readonly capability_id: string | null;
  /** Empty for none. Null if it is only in `line`, as in rows that an earlier version writes. */
  readonly request_id: string | null;
  readonly approval_id: string | null;
  readonly idempotency_key: string | null;
  /** Its name. */
  readonly client: string | null;
  readonly channel: string | null;
  /** The record as it is hashed and exported. */
  readonly line: string;
}

export interface SiemCursorsTable {
  readonly target: string;
  readonly log: string;
  readonly seq: number;
}

export interface SearchVectorsTable {
  /** The model of the vector, with everything that it depends on. */
  readonly model: string;
  /** Digest of the definition. */
  readonly digest: string;
  /** IEEE 754 values of four bytes, the lowest byte first. */
  readonly vector: Uint8Array;
  readonly used_at_ms: number;
}

export interface DefinitionsTable {
  /** Id of the upstream server. */
  readonly server: string;
  /** Fingerprint of the configuration of the server that they were read from. */
  readonly fingerprint: string;
  /** JSON text, as are `definitions`. */
  readonly traits: string;
  readonly definitions: string;
}

/** Changes in the configuration files of daemons, until all files have them. */
export interface ConfigurationChangesTable {
  readonly seq: Generated<number>;
  /** Where it was changed: host and path. */
  readonly file: string;
  /** JSON text. */
  readonly edits: string;
  readonly made_at_ms: number;
}

/** How far each configuration file has come. */
export interface ConfigurationReadersTable {
  readonly file: string;
  /** Number of the last change that the file has, with all before it. */
  readonly seq: number;
  /** JSON text. */
  readonly outline: string;
}

/** One account of a budget in one of its windows. */
export interface BudgetAccountsTable {
  /** Id of the budget. */
  readonly budget: string;
  /** Name of the actor, client, …; empty for all. */
  readonly scope: string;
  readonly start_ms: number;
  /** Null for a window that never ends. */
  readonly end_ms: number | null;
  /** Differs between a row and the one that follows it under its key after a reset. */
  readonly generation: number;
  readonly calls: number;
  /** Millionths of a unit of money. */
  readonly cost_micros: number;
  readonly result_bytes: number;
  readonly result_tokens: number;
  readonly upstream_us: number;
  /** Calls that have not ended, and what they hold. */
  readonly in_flight: number;
  readonly reserved_bytes: number;
  readonly reserved_tokens: number;
  readonly reserved_us: number;
  /** The largest amounts of one call. */
  readonly largest_bytes: number;
  readonly largest_tokens: number;
  readonly largest_us: number;
}

/** Approvals that answer later calls as well. */
export interface GrantsTable {
  readonly seq: Generated<number>;
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly capability_id: string;
  readonly server_id: string;
  readonly principal: string;
  /** Digest of kind, principal and capability. */
  readonly subject: string;
  readonly definition_digest: string;
  readonly policy_digest: string;
  /** JSON text, as is `names`. */
  readonly conditions: string;
  readonly names: string;
  readonly issued_by: string;
  readonly approval_id: string;
  readonly profile: string | null;
  readonly role: string | null;
  readonly actor: string | null;
  readonly client: string | null;
  readonly uses: number;
  readonly uses_left: number;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  /** Null together with `revoked_by`. */
  readonly revoked_at_ms: number | null;
  readonly revoked_by: string | null;
  readonly last_used_at_ms: number | null;
}

/** The part of an account that the calls in flight of one process hold. A process without others keeps none. */
export interface BudgetHoldsTable extends Pick<BudgetAccountsTable, HeldColumn> {
  /** Id of that process. */
  readonly owner: string;
}

type HeldColumn = 'budget' | 'scope' | 'start_ms' | 'in_flight' | 'reserved_bytes' | 'reserved_tokens' | 'reserved_us';

/** The daemons that live, of those that share the database. */
export interface DaemonsTable {
  /** Id of one run of a daemon. */
  readonly id: string;
  /** Id of the state directory: of two runs in it, the one that has come later lives. */
  readonly state_directory: string;
  /** Name for messages. */
  readonly name: string;
  /** Version of its program. */
  readonly version: string;
  /** By the clock of the database. */
  readonly lease_until_ms: number;
}

/** Requests of one daemon to another. */
export interface ErrandsTable {
  readonly id: string;
  /** Id of the receiver. */
  readonly daemon: string;
  /** JSON text, as is `answer`. */
  readonly request: string;
  readonly answer: string | null;
  /** By the clock of the database. */
  readonly expires_at_ms: number;
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
  readonly audit_block_ids: AuditBlockIdsTable;
  readonly audit_records: AuditRecordsTable;
  readonly audit_checkpoints: AuditCheckpointsTable;
  readonly siem_cursors: SiemCursorsTable;
  readonly search_vectors: SearchVectorsTable;
  readonly definitions: DefinitionsTable;
  readonly configuration_changes: ConfigurationChangesTable;
  readonly configuration_readers: ConfigurationReadersTable;
  readonly budget_accounts: BudgetAccountsTable;
  readonly grants: GrantsTable;
  readonly budget_holds: BudgetHoldsTable;
  readonly daemons: DaemonsTable;
  readonly errands: ErrandsTable;
}

/** Whether it outlives the daemons. A table that is missing here does not compile. */
const tables: Readonly<Record<keyof Tables, boolean>> = {
  executions: true,
  approvals: true,
  sampling: true,
  tasks: true,
  catalog_events: true,
  catalog_entries: true,
  oauth: true,
  audit_heads: true,
  audit_blocks: true,
  audit_block_ids: true,
  audit_records: true,
  audit_checkpoints: true,
  siem_cursors: true,
  search_vectors: true,
  definitions: true,
  configuration_changes: true,
  configuration_readers: true,
  budget_accounts: true,
  grants: true,
  budget_holds: false,
  daemons: false,
  errands: false,
};

/** Every table. */
export const tableNames = Object.keys(tables) as readonly (keyof Tables)[]; // its keys are those of its type
/** Tables that are copied from one database to another. */
export const durableTableNames = tableNames.filter((name) => tables[name]);

export type ExecutionRow = Selectable<ExecutionsTable>;
export type ApprovalRow = Selectable<ApprovalsTable>;
export type SamplingRow = Selectable<SamplingTable>;
export type TaskRow = Selectable<TasksTable>;
export type AuditRecordRow = Selectable<AuditRecordsTable>;
export type BudgetAccountRow = Selectable<BudgetAccountsTable>;
export type GrantRow = Selectable<GrantsTable>;
export type BudgetHoldRow = Selectable<BudgetHoldsTable>;
export type AuditBlockRow = Selectable<AuditBlocksTable>;
