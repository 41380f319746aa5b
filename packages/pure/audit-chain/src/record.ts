// The record of the audit log, as it stands in the file, in answers and in exports: the wire's spelling throughout.
// Nothing here gives a record its place in the chain; that is seal.ts.
import { sha256Hex } from '@portico/canonical-json';
import type { ActorKind, AuditChannel, AuditEventType, AuditStatus, ClientName, JsonObject } from '@portico/contracts';
import type { Written } from './written.js';

export { type AuditEventType, type AuditStatus, auditEventTypes, auditStatuses } from '@portico/contracts';

/** One action and how it ended. Values that are absent are omitted, never null. */
export interface AuditRecord {
  /** `aud-`, where the record has a chain its id and `-`, and `seq` in 12 digits. */
  readonly id: string;
  /** Position in the log, from 1, without gaps. */
  readonly seq: number;
  /** RFC 3339 in UTC, to the millisecond. */
  readonly timestamp: string;
  readonly event_type: AuditEventType;
  readonly status: AuditStatus;
  readonly trace_id?: string;
  readonly request_id?: string;
  readonly operation_id?: string;
  readonly work_item_id?: string;
  readonly actor_id?: string;
  readonly grant_id?: string;
  readonly role?: string;
  readonly server_id?: string;
  readonly capability_id?: string;
  readonly approval_id?: string;
  readonly idempotency_key?: string;
  readonly is_replay?: boolean;
  /** Arguments without the keys that are redacted. */
  readonly sanitized_args?: JsonObject;
  readonly error_code?: string;
  readonly duration_us?: number;
  readonly details?: JsonObject;
  /** The chain of the log that it belongs to; absent if a log is one chain. 32 lower-case hex characters. */
  readonly chain_id?: string;
  /** How the actor was identified; absent if that is not known, as in records of earlier versions. */
  readonly actor_kind?: ActorKind;
  /** The program that asked, as it names itself: no proof. */
  readonly client?: ClientName;
  readonly channel?: AuditChannel;
  readonly profile?: string;
  /** Digest of the rules in force; 32 lower-case hex characters, as the other digests. */
  readonly policy_digest?: string;
  /** The rule that decided: `<effect>:<pattern>`. */
  readonly rule?: string;
  readonly definition_digest?: string;
  readonly config_revision?: number;
  /** Keyed: it shows which arguments are equal, and not what they are. */
  readonly args_digest?: string;
  readonly result_digest?: string;
  /** Size of the JSON text of the result, in UTF-8. */
  readonly result_bytes?: number;
  readonly queue_us?: number;
  readonly upstream_us?: number;
  /** `hash` of the record before it; of the first record, `genesisHash`. */
  readonly prev_hash: string;
  /** SHA-256, in hex, of `prev_hash` followed by the canonical JSON (RFC 8785) of the record without `hash`. */
  readonly hash: string;
}

type DraftField = Exclude<keyof AuditRecord, 'id' | 'seq' | 'chain_id' | 'prev_hash' | 'hash'>;

/** The fields of an action before it has its place in the log. An undefined field equals an absent one. */
export type AuditDraft = Pick<AuditRecord, 'timestamp' | 'event_type' | 'status'> & {
  readonly [field in Exclude<DraftField, 'client'>]?: AuditRecord[field] | undefined;
} & { readonly client?: ClientName | Written<ClientName> | undefined };

/** The `prev_hash` of the first record. */
export const genesisHash: string = sha256Hex('portico-audit-v1');
