// Tasks in the wire's form. A rule that denies what was run, and came since, takes the result out of sight as well.
import {
  type Envelope,
  errorEnvelope,
  type JsonObject,
  nothingSent,
  readEnvelope,
  successEnvelope,
  type TaskRecord,
} from '@portico/contracts';
import type { Viewer } from '@portico/policy-engine';
import type { Call, Outcome } from '../call/call.js';
import { shownSource } from '../call/call-source.js';
import type { PlaneState } from '../state/plane-state.js';
import { findTarget, retryOf } from '../state/target.js';
import { isSeen } from '../state/visibility.js';
import { unknownRetry } from './end-of-task.js';
import { pollIntervalMs, type Task, taskTtlMs } from './task.js';

/** @param viewer whose rules the result is shown by */
export function toTaskRecord(state: PlaneState, task: Task, viewer: Viewer): TaskRecord {
  const { id, status, statusMessage, capabilityId, requestId, createdAtMs, updatedAtMs, inputRequests, result } = task;
  return {
    task_id: id,
    status,
    ...(statusMessage === null ? {} : { status_message: statusMessage }),
    capability_id: capabilityId,
    request_id: requestId,
    ...shownSource(task.source, state.policy.redactorOf(viewer.role)),
    created_at: Math.floor(createdAtMs / 1000),
    updated_at: Math.floor(updatedAtMs / 1000),
    ttl_ms: taskTtlMs,
    poll_interval_ms: pollIntervalMs,
    ...(inputRequests === null ? {} : { input_requests: inputRequests }),
    ...(result === null ? {} : { result: shown(state, task, result, viewer) }),
  };
}

function shown(state: PlaneState, task: Task, result: string, viewer: Viewer): Envelope {
  const { kind, capabilityId, traceId, requestId } = task;
  const { envelope } = readEnvelope(result);
  if (!envelope.ok || isSeen(state, kind, capabilityId, viewer)) return envelope;
  const message = `policy no longer shows results of "${capabilityId}"`;
  return errorEnvelope({ requestId, traceId }, nothingSent, { code: 'POLICY_DENIED', message });
}

/** The answer to the caller that created a task. */
export function toTaskOutcome(state: PlaneState, call: Call, task: TaskRecord): Outcome {
  const target = findTarget(state, call.kind, call.id);
  const retry =
    target === undefined
      ? unknownRetry
      : retryOf(target, task.request_id !== null || call.idempotencyKey !== null, 'unknown');
  const data = { resultType: 'task', task: task as unknown as JsonObject }; // a record is JSON
  return { kind: 'task', task, envelope: successEnvelope(call.correlation, retry, data) };
}
