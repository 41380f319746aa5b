// Step 1: holds a call while it runs. Registers it, catches everything so that a call always ends in an envelope,
// and leaves exactly one audit record of it. What cannot be recorded is not begun.
import { untilAborted } from '@portico/async';
import type { AuditDraft } from '@portico/audit-chain';
import { type Correlation, type Envelope, errorEnvelope, type JsonObject, unknownOutcome } from '@portico/contracts';
import { type Clock, DeadlinePassed } from '@portico/upstream-pool';
import { type AuditLog, AuditUnavailable, type OpenAction } from '../../audit/audit-log.js';
import { callDraft } from '../../audit/drafts.js';
import { type Call, CallFailure, type Outcome } from '../../call/call.js';
import { cancelled } from '../../call/failures.js';
import type { Operation, Operations } from '../../call/operations.js';
import type { Log } from '../../common/log.js';
import { defectEnvelope } from '../../observability/defect.js';
import { traceFields } from '../../observability/tracing/trace-context.js';
import type { PlaneState } from '../../state/plane-state.js';

export interface RecordDeps {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly operations: Operations;
  /** In force now: what is kept from view may have changed since a call began. */
  readonly state: () => PlaneState;
}

/** What came of the steps. `isAudited` where their record has been written already. */
export interface Ended {
  readonly outcome: Outcome;
  readonly isAudited: boolean;
  /** What was sent, where it may be other than what was asked for. */
  readonly args?: JsonObject;
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
  let action: OpenAction | undefined;
  const {
    outcome,
    isAudited,
    args = call.args,
  } = await caught(on, call.correlation, () => {
    identity = identify();
    return hold(on.operations, state.config.toolTimeoutMs, call, identity, async (operation, key) => {
      action = await beginUnder(on.audit, operation.signal);
      return steps(operation, key);
    });
  });
  const toDraft = () =>
    callDraft(
      state,
      { ...call, args },
      {
        kind: outcome.kind,
        code: outcome.envelope.error?.code,
        isUnsent: outcome.envelope.retry.upstream_execution_state === 'not_started',
        epochMs: on.clock.epochMs(),
        durationUs: Math.round((on.clock.now() - startedAtMs) * 1000),
        key: identity?.key ?? null,
        approvalId: identity?.approvalId ?? outcome.envelope.error?.approval_id ?? null,
      },
      on.state(),
    );
  const failure = await leaveRecord(on, call.correlation, action, isAudited ? undefined : toDraft);
  if (failure === undefined) return outcome;
  return { kind: 'answered', envelope: errorEnvelope(call.correlation, outcome.envelope.retry, failure) };
}

/** A log whose queue is full holds nobody up for longer than they have. @throws CallFailure */
async function beginUnder(audit: AuditLog, signal: AbortSignal): Promise<OpenAction> {
  const opening = audit.begin();
  try {
    return await untilAborted(opening, signal);
  } catch (error) {
    if (error instanceof CallFailure || !signal.aborted) throw error;
    opening.then((action) => action.end()).catch(() => {}); // nothing was done
    throw signal.reason instanceof DeadlinePassed ? new AuditUnavailable('its queue is full') : cancelled(signal);
  }
}

/** What is answered where the record is not as safe as the log promises; undefined where it is. */
export async function leaveRecord(
  { audit, log }: Pick<RecordDeps, 'audit' | 'log'>,
  correlation: Correlation,
  action: OpenAction | undefined,
  toDraft: (() => AuditDraft) | undefined,
) {
  try {
    if (toDraft !== undefined) await (action ?? (await audit.begin())).end(toDraft());
    else await action?.end();
    return undefined;
  } catch (error) {
    // The log has told of its outage itself.
    if (!(error instanceof AuditUnavailable)) {
      log('error', 'an audit record could not be written', { ...traceFields(correlation), error });
    }
    const message = 'the call ended, but its audit record is not written yet: the audit log fails';
    return { code: 'INTERNAL_ERROR', message, retryable: false } as const;
  }
}

async function caught(on: RecordDeps, correlation: Correlation, run: () => Promise<Ended>): Promise<Ended> {
  try {
    return await run();
  } catch (error) {
    const envelope = toErrorEnvelope(on, correlation, error);
    // The log has counted the refusal, or keeps the record that it could not write.
    return { outcome: { kind: 'answered', envelope }, isAudited: error instanceof AuditUnavailable };
  }
}

function toErrorEnvelope({ log }: RecordDeps, correlation: Correlation, error: unknown): Envelope {
  if (error instanceof CallFailure) return errorEnvelope(correlation, error.retry, error);
  return defectEnvelope(log, correlation, error, unknownOutcome, true);
}

async function hold(
  operations: Operations,
  timeoutMs: number,
  { caller, correlation, batch, task, signal }: Call,
  { key, isKeyGiven }: Identity,
  steps: (operation: Operation, key: string | null) => Promise<Ended>,
): Promise<Ended> {
  // A step is found by the request id of its batch, which is registered as a whole.
  const requestId = batch === undefined ? correlation.requestId : null;
  const identity = { principal: caller.principal, requestId, key, isKeyGiven };
  if (operations.hasConflict(identity)) throw requestIdInUse(requestId);
  // What a key protects goes on when its caller goes away; what belongs to a batch ends with it.
  const parent = task?.signal ?? batch?.signal ?? (key === null ? signal : undefined);
  return operations.run(identity, timeoutMs, parent, (operation) => steps(operation, key));
}

export function requestIdInUse(requestId: string | null): CallFailure {
  const message = `another operation is in flight under request id ${JSON.stringify(requestId)}; wait for it, or use another`;
  return new CallFailure('INVALID_ARGS', message);
}
