// Step 1: holds a call while it runs. Registers it, catches everything so that a call always ends in an envelope,
// and leaves exactly one audit event of it.
import { type Correlation, type Envelope, errorEnvelope, unknownOutcome } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { AuditEvent, AuditEventType, AuditSink, AuditStatus } from '../audit.js';
import { type Call, CallFailure, type CallKind, type Outcome } from '../call.js';
import { defectEnvelope } from '../defect.js';
import type { Operation, Operations } from '../operations.js';
import type { PlaneState } from '../plane-state.js';
import type { Log } from '../ports.js';
import { findTarget } from './resolve.js';

export interface RecordDeps {
  readonly audit: AuditSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly operations: Operations;
}

/** What came of the steps. `isAudited` where their event has been written already. */
export interface Ended {
  readonly outcome: Outcome;
  readonly isAudited: boolean;
}

export interface Identity {
  /** Key in force; null for none. */
  readonly key: string | null;
  /** Whether the client chose the key, or the call may share its request id for another reason. */
  readonly isKeyGiven: boolean;
  /** The ticket whose call this is. */
  readonly approvalId: string | null;
}

/** @param identify may throw CallFailure; `steps` too */
export async function record(
  on: RecordDeps,
  state: PlaneState,
  call: Call,
  identify: () => Identity,
  steps: (operation: Operation, key: string | null) => Promise<Ended>,
): Promise<Outcome> {
  const startedAtMs = on.clock.now();
  let identity: Identity | undefined;
  const { outcome, isAudited } = await caught(on, call.correlation, () => {
    identity = identify();
    return hold(on.operations, state.config.toolTimeoutMs, call, identity, steps);
  });
  if (isAudited) return outcome;
  try {
    await on.audit.append(toEvent(on.clock, state, call, identity, outcome, startedAtMs));
    return outcome;
  } catch (error) {
    on.log('error', 'an audit event could not be written', { trace_id: call.correlation.traceId, error });
    const message = 'the call ended, but its audit event could not be written; see the log';
    const failure = { code: 'INTERNAL_ERROR', message, retryable: false } as const;
    return { kind: 'answered', envelope: errorEnvelope(call.correlation, outcome.envelope.retry, failure) };
  }
}

async function caught(on: RecordDeps, correlation: Correlation, run: () => Promise<Ended>): Promise<Ended> {
  try {
    return await run();
  } catch (error) {
    return { outcome: { kind: 'answered', envelope: toErrorEnvelope(on, correlation, error) }, isAudited: false };
  }
}

function toErrorEnvelope({ log }: RecordDeps, correlation: Correlation, error: unknown): Envelope {
  if (error instanceof CallFailure) return errorEnvelope(correlation, error.retry, error);
  return defectEnvelope(log, correlation, error, unknownOutcome, true);
}

async function hold(
  operations: Operations,
  timeoutMs: number,
  { caller, correlation, batch, signal }: Call,
  { key, isKeyGiven }: Identity,
  steps: (operation: Operation, key: string | null) => Promise<Ended>,
): Promise<Ended> {
  // A step is found by the request id of its batch, which is registered as a whole.
  const requestId = batch === undefined ? correlation.requestId : null;
  const identity = { principal: caller.principal, requestId, key, isKeyGiven };
  if (operations.hasConflict(identity)) throw requestIdInUse(requestId);
  // What a key protects goes on when its caller goes away; what belongs to a batch ends with it.
  const parent = batch?.signal ?? (key === null ? signal : undefined);
  return operations.run(identity, timeoutMs, parent, (operation) => steps(operation, key));
}

export function requestIdInUse(requestId: string | null): CallFailure {
  const message = `another operation is in flight under request id ${JSON.stringify(requestId)}; wait for it, or use another`;
  return new CallFailure('INVALID_ARGS', message);
}

const eventTypes: Readonly<Record<CallKind, AuditEventType>> = {
  tool: 'tool_call',
  resource: 'resource_read',
  prompt: 'prompt_get',
};

function toEvent(
  clock: Clock,
  state: PlaneState,
  call: Call,
  identity: Identity | undefined,
  outcome: Outcome,
  startedAtMs: number,
): AuditEvent {
  const target = findTarget(state, call.kind, call.id);
  const code = outcome.envelope.error?.code;
  const isReplay = outcome.kind === 'replayed';
  const approvalId = identity?.approvalId ?? outcome.envelope.error?.approval_id;
  const ownType = code === 'POLICY_DENIED' ? 'policy_violation' : eventTypes[call.kind];
  return {
    eventType: isReplay ? 'idempotent_replay' : ownType,
    status: statusOf(outcome),
    epochMs: clock.epochMs(),
    correlation: call.correlation,
    principal: call.caller.principal,
    ...(target === undefined ? {} : { serverId: target.server }),
    capabilityId: shownId(state, call.kind, target?.id ?? call.id),
    ...(approvalId === undefined ? {} : { approvalId }),
    ...(identity?.key == null ? {} : { idempotencyKey: identity.key }),
    isReplay,
    sanitizedArgs: state.policy.redactor.sanitize(call.args),
    ...(code === undefined ? {} : { errorCode: code }),
    durationUs: Math.round((clock.now() - startedAtMs) * 1000),
  };
}

/** A URI may hold a secret; the name of a tool or prompt is the server's own. */
function shownId({ policy }: PlaneState, kind: CallKind, id: string): string {
  return kind === 'resource' ? policy.redactor.redactText(id) : id;
}

function statusOf({ kind, envelope }: Outcome): AuditStatus {
  if (kind === 'pending') return 'intercepted';
  switch (envelope.error?.code) {
    case undefined:
      return 'success';
    case 'POLICY_DENIED':
    case 'APPROVAL_REJECTED':
      return 'denied';
    case 'OPERATION_CANCELLED':
      return 'cancelled';
    default:
      return 'failed';
  }
}
