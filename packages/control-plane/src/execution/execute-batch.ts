// A batch as one operation: found by its request id, ended as a whole, and under one span.
import type { BatchCallResponse } from '@portico/contracts';
import { type BatchCall, runBatch } from '../call/batch.js';
import type { Call } from '../call/call.js';
import { inBatchSpan } from '../observability/tracing/batch-span.js';
import type { PlaneState } from '../state/plane-state.js';
import { type Execution, execute } from './execute.js';
import { requestIdInUse } from './steps/record.js';

/** @throws CallFailure INVALID_ARGS when its request id is in use */
export function executeBatch(on: Execution, state: () => PlaneState, batch: BatchCall): Promise<BatchCallResponse> {
  const { operations, clock, pacer } = on;
  const { correlation, caller, idempotencyKey } = batch;
  const { requestId } = correlation;
  const identity = { principal: caller.principal, requestId, key: null, isKeyGiven: idempotencyKey !== null };
  if (operations.hasConflict(identity)) throw requestIdInUse(requestId);
  const parent = idempotencyKey === null && requestId === null ? batch.signal : undefined;
  const runStep = (call: Call) => execute(on, state(), call);
  return operations.run(identity, null, parent, ({ signal }) =>
    inBatchSpan(on, state().policy.redactorOf(caller.role), batch, (traced) =>
      runBatch({ execute: runStep, now: clock.now, pacer }, traced, signal),
    ),
  );
}
