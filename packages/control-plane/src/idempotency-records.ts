// The records of executions, as they are shown to those whose they are.
import { type IdempotencyRecord, isJsonObject } from '@portico/contracts';
import type { LedgerRecord } from '@portico/idempotency';

export function toIdempotencyRecord(record: LedgerRecord): IdempotencyRecord {
  const response: unknown = JSON.parse(record.response);
  return {
    key: record.key,
    response: isJsonObject(response) ? response : {},
    created_at_epoch_secs: Math.floor(record.createdAtMs / 1000),
    completed_at_epoch_secs: record.completedAtMs === null ? null : Math.floor(record.completedAtMs / 1000),
    replay_count: record.replayCount,
    capability_id: record.capabilityId,
    first_trace_id: record.firstTraceId,
  };
}
