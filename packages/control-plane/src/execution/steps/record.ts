// Step 1: holds a call while it runs. Registers it, catches everything so that a call always ends in an envelope,
// and leaves exactly one audit record of it. What cannot be recorded is not begun.
import { type AbortSignalLike, untilAborted } from '@portico/async';
import type { AuditDraft } from '@portico/audit-chain';
import { type Correlation, type Envelope, errorEnvelope, type JsonObject, unknownOutcome } from '@portico/contracts';
import type { IdempotencyClaim } from '@portico/idempotency';
import { type Clock, DeadlinePassed } from '@portico/upstream-pool';
import { type AuditLog, AuditUnavailable, type OpenAction } from '../../audit/audit-log.js';
import { callDraft } from '../../audit/drafts.js';
import { type Call, CallFailure, type Outcome } from '../../call/call.js';
import { cancelled } from '../../call/failures.js';
import { keyOf } from '../../call/keys.js';
import type { OpenOperation, Operations } from '../../call/operations.js';
import type { Log } from '../../common/log.js';
import type { ParkedCalls } from '../../interaction/parked-calls.js';
import { defectEnvelope } from '../../observability/defect.js';
import { type ObserveDeps, type ObservedCall, observeCall } from '../../observability/observe-call.js';
import { traceFields } from '../../observability/tracing/trace-context.js';
import type { PlaneState } from '../../state/plane-state.js';
import { approvalIdOf, type Entry, type Run } from './run.js';

export interface RecordDeps {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly operations: Operations;
  /** The state now: redaction may have changed since the call began. */
  readonly state: () => PlaneState;
}

interface Identity {
  /** Key in force; null for none. */
  readonly key: string | null;
  /** Whether the client chose the key, or the call may share its request id for another reason. */
  readonly isKeyGiven: boolean;
  /** The ticket whose call this is. */
  readonly approvalId: string | null;
}

export interface RecordingDeps extends RecordDeps, ObserveDeps {
  readonly parked: ParkedCalls;
}

/** Holds a call while `work` runs, which may throw CallFailure, or reject with it. Never rejects. */
export function record(
  on: RecordingDeps,
  state: PlaneState,
  given: Call,
  entry: Entry,
  work: (run: Run) => Promise<Outcome>,
): Promise<Outcome> {
  const recording = new Recording(on, state, given, entry);
  const fail = (error: unknown) => recording.fail(error);
  try {
    const run = recording.begin();
    const opened = recording.open(run);
    const working = opened === undefined ? work(run) : opened.then(() => work(run));
    return working.then((outcome) => recording.end(outcome, run), fail);
  } catch (error) {
    return Promise.resolve(fail(error));
  }
}

/** Holds what there is of a call until it ends: it may fail before any of it is there. */
class Recording {
  readonly #on: RecordingDeps;
  readonly #state: PlaneState;
  readonly #entry: Entry;
  readonly #observed: ObservedCall;
  readonly #startedAtMs: number;
  #identity: Identity | undefined;
  #operation: OpenOperation | undefined;
  #action: OpenAction | undefined;

  constructor(on: RecordingDeps, state: PlaneState, given: Call, entry: Entry) {
    this.#on = on;
    this.#state = state;
    this.#entry = entry;
    this.#observed = observeCall(on, state, given, approvalIdOf(entry));
    this.#startedAtMs = on.clock.now();
  }

  /** @throws CallFailure INVALID_ARGS */
  begin(): Run {
    const { call, steps } = this.#observed;
    const { parked, operations } = this.#on;
    const continued = continuedBy(parked, call);
    const identity = identify(call, this.#entry, continued);
    this.#identity = identity;
    const operation = begin(operations, this.#state.config.toolTimeoutMs, call, identity);
    this.#operation = operation;
    return {
      state: this.#state,
      call,
      entry: this.#entry,
      steps,
      operation,
      continued,
      observed: this.#observed,
      key: identity.key,
      args: call.args,
      isAudited: false,
    };
  }

  /** Room for its record: what cannot be recorded is not begun. A promise where it has to be waited for. @throws CallFailure */
  open({ operation }: Run): Promise<void> | undefined {
    const opening = this.#on.audit.begin();
    if (opening instanceof Promise) return this.#wait(opening, operation.signal);
    this.#action = opening;
    return undefined;
  }

  async #wait(opening: Promise<OpenAction>, signal: AbortSignalLike): Promise<void> {
    this.#action = await waitForRoom(opening, signal);
  }

  end(outcome: Outcome, { isAudited, args }: Run): Outcome | Promise<Outcome> {
    return this.#end(outcome, isAudited, args);
  }

  fail(error: unknown): Outcome | Promise<Outcome> {
    const { call } = this.#observed;
    const envelope = toErrorEnvelope(this.#on, call.correlation, error);
    // Where the log refuses or fails it has counted the call, or keeps the record that it could not write.
    return this.#end({ kind: 'answered', envelope }, error instanceof AuditUnavailable, call.args);
  }

  #end(outcome: Outcome, isAudited: boolean, args: JsonObject): Outcome | Promise<Outcome> {
    this.#operation?.end();
    const left = leaveRecord(
      this.#on,
      this.#observed.call.correlation,
      this.#action,
      isAudited ? undefined : () => this.#draft(outcome, args),
    );
    return left instanceof Promise ? left.then((unsafe) => this.#tell(outcome, unsafe)) : this.#tell(outcome, left);
  }

  #tell(outcome: Outcome, unsafe: Unsafe | undefined): Outcome {
    if (unsafe === undefined) return this.#observed.ended(outcome);
    const { correlation } = this.#observed.call;
    const envelope = errorEnvelope(correlation, outcome.envelope.retry, unsafe);
    return this.#observed.ended({ kind: 'answered', envelope });
  }

  #draft({ kind, envelope }: Outcome, args: JsonObject): AuditDraft {
    const { clock, state } = this.#on;
    const end = {
      kind,
      code: envelope.error?.code,
      isUnsent: envelope.retry.upstream_execution_state === 'not_started',
      epochMs: clock.epochMs(),
      durationUs: Math.round((clock.now() - this.#startedAtMs) * 1000),
      key: this.#identity?.key ?? null,
      approvalId: this.#identity?.approvalId ?? envelope.error?.approval_id ?? null,
    };
    const { target, call } = this.#observed;
    const { kind: called, id, correlation, caller } = call;
    return callDraft(this.#state, { kind: called, id, args, correlation, caller, target }, end, state());
  }
}

/** Of a call that waits at its upstream, where this is its next turn: the key it was begun under. */
function continuedBy(parked: ParkedCalls, { requestState, caller }: Call): IdempotencyClaim | undefined {
  return requestState === undefined ? undefined : parked.keyOf(caller.principal, requestState);
}

/** @throws CallFailure INVALID_ARGS */
function identify(call: Call, entry: Entry, continued: IdempotencyClaim | undefined): Identity {
  if (entry.kind === 'ticket') return { key: entry.claim?.key ?? null, isKeyGiven: true, approvalId: entry.approvalId };
  // A call that waits goes on under the key that it was begun with, however its requests are called.
  const key = call.idempotencyKey === null && continued !== undefined ? continued.key : keyOf(call);
  return { key, isKeyGiven: call.idempotencyKey !== null, approvalId: null };
}

/** Waits for the audit queue, at most until the call's deadline. @throws CallFailure */
async function waitForRoom(opening: Promise<OpenAction>, signal: AbortSignalLike): Promise<OpenAction> {
  try {
    return await untilAborted(opening, signal);
  } catch (error) {
    if (error instanceof CallFailure || !signal.aborted) throw error;
    opening.then((action) => action.end()).catch(() => {}); // nothing was done
    throw signal.reason instanceof DeadlinePassed ? new AuditUnavailable('its queue is full') : cancelled(signal);
  }
}

/** What is answered where the record is not as safe as the log promises; undefined where it is. */
export function leaveRecord(
  on: Pick<RecordDeps, 'audit' | 'log'>,
  correlation: Correlation,
  action: OpenAction | undefined,
  toDraft: (() => AuditDraft) | undefined,
): Unsafe | undefined | Promise<Unsafe | undefined> {
  try {
    const left = toDraft === undefined ? action?.end() : endWith(on.audit, action, toDraft());
    return left?.then(
      () => undefined,
      (error: unknown) => toUnsafe(on, correlation, error),
    );
  } catch (error) {
    return toUnsafe(on, correlation, error);
  }
}

/** A call that was refused before it began has no action yet. */
function endWith(audit: AuditLog, action: OpenAction | undefined, draft: AuditDraft): Promise<void> | undefined {
  if (action !== undefined) return action.end(draft);
  const opening = audit.begin();
  return opening instanceof Promise ? opening.then((opened) => opened.end(draft)) : opening.end(draft);
}

type Unsafe = { readonly code: 'INTERNAL_ERROR'; readonly message: string; readonly retryable: false };

function toUnsafe({ log }: Pick<RecordDeps, 'log'>, correlation: Correlation, error: unknown): Unsafe {
  // The log has told of its outage itself.
  if (!(error instanceof AuditUnavailable)) {
    log('error', 'an audit record could not be written', { ...traceFields(correlation), error });
  }
  const message = 'the call ended, but its audit record is not written yet: the audit log fails';
  return { code: 'INTERNAL_ERROR', message, retryable: false };
}

function toErrorEnvelope({ log }: RecordDeps, correlation: Correlation, error: unknown): Envelope {
  if (error instanceof CallFailure) return errorEnvelope(correlation, error.retry, error);
  return defectEnvelope(log, correlation, error, unknownOutcome, true);
}

/** @throws CallFailure INVALID_ARGS where its request id is in use */
function begin(
  operations: Operations,
  timeoutMs: number,
  { caller, correlation, batch, task, signal }: Call,
  { key, isKeyGiven }: Identity,
): OpenOperation {
  // A step is found by the request id of its batch, which is registered as a whole.
  const requestId = batch === undefined ? correlation.requestId : null;
  const identity = { principal: caller.principal, requestId, key, isKeyGiven };
  if (operations.hasConflict(identity)) throw requestIdInUse(requestId);
  // What a key protects goes on when its caller goes away; what belongs to a batch ends with it.
  const parent = task?.signal ?? batch?.signal ?? (key === null ? signal : undefined);
  return operations.begin(identity, timeoutMs, parent);
}

export function requestIdInUse(requestId: string | null): CallFailure {
  const message = `another operation is in flight under request id ${JSON.stringify(requestId)}; wait for it, or use another`;
  return new CallFailure('INVALID_ARGS', message);
}
