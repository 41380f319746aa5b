// A call that goes on without its caller, as it is kept.
import type { JsonObject } from '@portico/contracts';
import type { Call, CallKind } from '../call/call.js';
import type { NamedSource } from '../call/call-source.js';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

export const taskStatuses: readonly TaskStatus[] = ['working', 'input_required', 'completed', 'failed', 'cancelled'];

export interface Task {
  readonly id: string;
  readonly principal: string;
  readonly kind: CallKind;
  /** Canonical id or alias, as the call named it. */
  readonly capabilityId: string;
  readonly requestId: string | null;
  /** Idempotency key in force; null for none. */
  readonly key: string | null;
  readonly traceId: string;
  readonly status: TaskStatus;
  /** Status message of the upstream, or the reason of the failure. */
  readonly statusMessage: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The questions that it waits with, by their keys; null while it does not. */
  readonly inputRequests: JsonObject | null;
  /** JSON text of the envelope, once it has ended. */
  readonly result: string | null;
  /** Where the call comes from; null if that is not known. */
  readonly source: NamedSource | null;
  /** Id of the other daemon that runs it, where one does. */
  readonly daemon?: string;
}

/** The fields of a task that change. */
export type TaskChange = Partial<Pick<Task, 'status' | 'statusMessage' | 'updatedAtMs' | 'inputRequests' | 'result'>>;

/** How long a task is kept after it was made. */
export const taskTtlMs = 86_400_000;

/** How often to ask for it, at most. */
export const pollIntervalMs = 1000;

export function isEnded({ status }: Pick<Task, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

export function newTask(
  id: string,
  { caller, kind, id: capabilityId, correlation }: Call,
  key: string | null,
  nowMs: number,
): Task {
  const { requestId, traceId } = correlation;
  return {
    id,
    principal: caller.principal,
    kind,
    capabilityId,
    requestId,
    key,
    traceId,
    status: 'working',
    statusMessage: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    inputRequests: null,
    result: null,
    source: caller.source?.named ?? null,
  };
}
