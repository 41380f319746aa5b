// The records of executions, as they are shown to those whose they are.
import { errorEnvelope, type IdempotencyRecord, type JsonObject, nothingSent, readEnvelope } from '@portico/contracts';
import type { Ledger, LedgerRecord, RecordPage } from '@portico/idempotency';
import type { Caller } from '../call/call.js';
import { readPage } from '../common/page.js';
import type { PlaneState } from '../state/plane-state.js';
import { isSeen } from '../state/visibility.js';

type Reader = Pick<Caller, 'principal' | 'role'>;

export interface RecordReads {
  /** A principal's executions with a key, newest first; fewer than asked for where they are large. */
  records(caller: Reader, page: RecordPage): Promise<readonly IdempotencyRecord[]>;
  record(caller: Reader, key: string): Promise<IdempotencyRecord | undefined>;
}

export function createRecordReads(ledger: Ledger, state: () => PlaneState, epochMs: () => number): RecordReads {
  return {
    async records(caller, page) {
      const nowMs = epochMs();
      return readPage(page, async (part) =>
        (await ledger.list(caller.principal, part, nowMs)).map((record) =>
          toIdempotencyRecord(state(), caller, record),
        ),
      );
    },
    async record(caller, key) {
      const found = await ledger.get(caller.principal, key, epochMs());
      return found && toIdempotencyRecord(state(), caller, found);
    },
  };
}

/** A rule that denies what was run, and came since, takes its answer out of sight as well. */
function toIdempotencyRecord(state: PlaneState, { role }: Reader, record: LedgerRecord): IdempotencyRecord {
  const viewer = { profile: null, role };
  return {
    key: record.key,
    response: isSeen(state, record.kind, record.capabilityId, viewer) ? shown(record) : denied(record),
    created_at_epoch_secs: Math.floor(record.createdAtMs / 1000),
    completed_at_epoch_secs: record.completedAtMs === null ? null : Math.floor(record.completedAtMs / 1000),
    replay_count: record.replayCount,
    capability_id: record.capabilityId,
    first_trace_id: record.firstTraceId,
  };
}

function shown({ response }: LedgerRecord): JsonObject {
  return readEnvelope(response).envelope as unknown as JsonObject; // an envelope is JSON
}

function denied({ capabilityId, firstTraceId }: LedgerRecord): JsonObject {
  const failure = { code: 'POLICY_DENIED', message: `policy no longer shows results of "${capabilityId}"` } as const;
  return {
    ...errorEnvelope({ requestId: null, traceId: firstTraceId }, nothingSent, failure),
  } as unknown as JsonObject; // an envelope is JSON
}
