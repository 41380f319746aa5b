// Records that tell what a log does not hold: what they are called and what is in them.
// Nothing here finds a gap; who opens and writes the log does.
import type { JsonObject } from '@portico/contracts';
import type { AuditDraft, AuditRecord } from './record.js';

/**
 * Why: records that had been kept are gone (`records_missing`); the process was killed (`unclean_stop`); a line was cut
 * off in the middle and nothing else is known (`torn_tail`); the log could not be written for a while (`unwritable`).
 */
export type GapReason = 'records_missing' | 'unclean_stop' | 'torn_tail' | 'unwritable';

/** The draft of an `audit_gap`. @param details what else is known of it */
export function toGapDraft(reason: GapReason, details: JsonObject, epochMs: number): AuditDraft {
  return {
    timestamp: new Date(epochMs).toISOString(),
    event_type: 'audit_gap',
    status: 'failed',
    details: { reason, ...details },
  };
}

/** Whether a log that holds this record once held others, which the record stands in place of. */
export function tellsOfMissingRecords({ event_type, details }: AuditRecord): boolean {
  const reason: GapReason = 'records_missing';
  return event_type === 'audit_gap' && details?.reason === reason;
}
