// The record that says that old records of a log were removed on purpose, by the age that is configured. Without one, a log
// that begins with a later record than the first has lost records.
import { isJsonObject, type JsonObject, parseJson } from '@portico/contracts';
import type { Link } from './link.js';
import type { AuditDraft, AuditRecord } from './record.js';
import type { Head } from './seal.js';

/** `details.action` of the `config_change`. */
const action = 'audit_prune';

export interface Pruned {
  /** Positions of the first and the last record that is removed, and the hash of the last. */
  readonly firstSeq: number;
  readonly last: Head;
  /** Hash of the first record that the log ever had, which names it in its signed checkpoints. */
  readonly chainId: string;
  readonly segments: number;
  readonly keepDays: number;
}

export interface Pruning {
  readonly timestamp: string;
  readonly last: Head;
  readonly chainId: string;
}

/** The record that says which records were removed by age. */
export function toPruningDraft({ firstSeq, last, chainId, segments, keepDays }: Pruned, epochMs: number): AuditDraft {
  return {
    timestamp: new Date(epochMs).toISOString(),
    event_type: 'config_change',
    status: 'success',
    details: {
      action,
      first_seq: firstSeq,
      last_seq: last.seq,
      last_hash: last.hash,
      log_chain_id: chainId,
      segments,
      keep_days: keepDays,
    },
  };
}

/** The pruning that the record of a line reports; undefined if it reports none. */
export function pruningOf({ record, hashed }: Pick<Link, 'record' | 'hashed'>): Pruning | undefined {
  if (record !== undefined) return pruningIn(record);
  if (!hashed.includes(`"action":"${action}"`)) return undefined; // nearly every line
  const read = parseJson(hashed);
  return isJsonObject(read) ? pruningIn(read as unknown as AuditRecord) : undefined; // the fields of a line are checked
}

/** The statement of a record about removed records; undefined for any other record. */
export function pruningIn({
  event_type,
  timestamp,
  details = {},
}: Pick<AuditRecord, 'event_type' | 'timestamp' | 'details'>): Pruning | undefined {
  if (event_type !== 'config_change' || details.action !== action) return undefined;
  const { last_seq: seq, last_hash: hash, log_chain_id: chainId }: JsonObject = details;
  if (typeof seq !== 'number' || typeof hash !== 'string' || typeof chainId !== 'string') return undefined;
  return { timestamp, last: { seq, hash }, chainId };
}

/** Whether the records up to a head were pruned. A removal that was interrupted leaves more than it had said. */
export function isPrunedUpTo({ last }: Pruning, { seq, hash }: Head): boolean {
  return last.seq > seq || (last.seq === seq && last.hash === hash);
}
