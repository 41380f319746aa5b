// Records about gaps of a log: their names and contents. They do not find a gap; the code that opens and writes the log
// does.
import type { JsonObject } from '@portico/contracts';
import type { AuditDraft, AuditRecord } from './record.js';

/**
 * Why: stored records are missing (`records_missing`); the file holds records that the service has not written
 * (`records_added`); the process was killed (`unclean_stop`); a line was cut off in the middle and nothing else is
 * known (`torn_tail`); the log could not be written for a while (`unwritable`).
 */
export type GapReason = 'records_missing' | 'records_added' | 'unclean_stop' | 'torn_tail' | 'unwritable';

/** The draft of an `audit_gap`. @param details what else is known of it */
export function toGapDraft(reason: GapReason, details: JsonObject, epochMs: number): AuditDraft {
  return {
    timestamp: new Date(epochMs).toISOString(),
    event_type: 'audit_gap',
    status: 'failed',
    details: { reason, ...details },
  };
}

const breaking: readonly unknown[] = ['records_missing', 'records_added'] satisfies readonly GapReason[];

/** Whether a log with such a gap is not valid, however whole its chain is. */
export function breaksChain(reason: unknown): boolean {
  return breaking.includes(reason);
}

/** Whether a log that holds this record once held others, or holds records that the service has not written. */
export function recordsBrokenChain({ event_type, details }: AuditRecord): boolean {
  return event_type === 'audit_gap' && breaksChain(details?.reason);
}
