// Reduces a record for a target that does not take the whole of it. The record itself says what is missing.
import type { AuditRecord } from '@portico/audit-chain';

/**
 * - `whole`: as it is in the log
 * - `reduced`: without arguments and details, which are what may be of any size
 * - `bare`: only what the control plane itself has put there, so that no caller can make a target refuse it
 */
export type RecordForm = 'whole' | 'reduced' | 'bare';

export type ReductionReason = 'too large for this target' | 'refused by this target';

const reducedFields = ['sanitized_args', 'details'] as const;
const bareFields = ['id', 'seq', 'timestamp', 'event_type', 'status', 'chain_id', 'prev_hash', 'hash'] as const;

/** `hash` stays that of the record in the log: it names the whole record, and does not fit what is sent here. */
export function toForm(record: AuditRecord, form: RecordForm, reason: ReductionReason): AuditRecord {
  switch (form) {
    case 'whole':
      return record;
    case 'reduced': {
      const { sanitized_args, details, ...rest } = record;
      const omitted = reducedFields.filter((field) => record[field] !== undefined);
      return { ...rest, details: { omitted, reason } };
    }
    case 'bare': {
      const { id, seq, timestamp, event_type, status, chain_id, prev_hash, hash } = record;
      const chain = chain_id === undefined ? {} : { chain_id };
      const kept: ReadonlySet<string> = new Set(bareFields);
      const omitted = Object.keys(record).filter((field) => !kept.has(field));
      return { id, seq, timestamp, event_type, status, details: { omitted, reason }, ...chain, prev_hash, hash };
    }
  }
}
