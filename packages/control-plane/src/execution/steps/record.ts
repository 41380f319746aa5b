// Step 1: holds a call while it runs. Registers it, turns any failure into an envelope, watches it for traces and
// metrics, and leaves exactly one audit record of it. A call that cannot be recorded is not begun.
import { untilAborted } from '@portico/async';
import type { AuditDraft } from '@portico/audit-chain';
import {
  type Correlation,
  type ErrorDetail,
  errorEnvelope,
  exactNumbers,
  isQuestion,
  type JsonObject,
  sizeUpTo,
  unknownOutcome,
} from '@portico/contracts';
import type { IdempotencyClaim } from '@portico/idempotency';
import { type Clock, DeadlinePassed, type ServerRequestMethod } from '@portico/upstream-pool';
import type { GrantUse } from '../../approvals/grant-use.js';
import { type AuditLog, AuditUnavailable, type OpenAction } from '../../audit/audit-log.js';
import { type AuditedCall, callDraft, shownId } from '../../audit/drafts.js';
import { type Call, CallFailure, type Outcome } from '../../call/call.js';
import { cancelled } from '../../call/failures.js';
import { keyOf } from '../../call/keys.js';
import type { OpenOperation, Operations } from '../../call/operations.js';
import type { Target } from '../../call/target.js';
import { isToolError, toolErrorCode } from '../../call/tool-error.js';
import type { Log } from '../../common/log.js';
import { inStage, type Stages } from '../../common/stage.js';
import type { ParkedCalls } from '../../interaction/parked-calls.js';
import { defectEnvelope } from '../../observability/defect.js';
import type { CountExecution } from '../../observability/metrics/count-executions.js';
import { ExecutionTrace } from '../../observability/tracing/execution-trace.js';
import type { Tracing } from '../../observability/tracing/spans.js';
import { traceFields } from '../../observability/tracing/trace-context.js';
import { nearHint } from '../../state/near-ids.js';
import type { PlaneState } from '../../state/plane-state.js';
import { approvalIdOf, type Entry } from './entry.js';

export interface RecordDeps {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  /** The state now: redaction may have changed since the call began. */
  readonly state: () => PlaneState;
}

export interface RunDeps extends RecordDeps, Tracing {
  readonly operations: Operations;
  readonly parked: Pick<ParkedCalls, 'keyOf'>;
  readonly count: CountExecution;
  readonly stages: Stages;
  /** Key of the digests of arguments. */
  readonly digestKey: string;
}

/** Arguments beyond this many characters and values are large: a pass over them takes long. */
const manyArguments = 10_000;

/** Beyond this many values, each step over the arguments has a turn of the event loop of its own. */
const hugeArguments = 200_000;
/** The same for numbers that are kept as texts, each of which takes several times as long. */
const hugeExactArguments = 50_000;

/** One execution from its beginning to its end: what its steps share, and its record. */
export class Run implements AuditedCall {
  readonly #on: RunDeps;
  /** The snapshot that it runs on. */
  readonly state: PlaneState;
  /** The given call, with the trace of its span. */
  readonly call: Call;
  readonly entry: Entry;
  /** The spans of its steps; undefined without tracing. */
  readonly trace: ExecutionTrace | undefined;
  readonly #startedAtMs: number;
  /** The idempotency key in force; null for none. */
  key: string | null = null;
  /** The key of the waiting call, if this is its next turn. */
  continued: IdempotencyClaim | undefined;
  /** Set before the first step that uses it. */
  operation!: OpenOperation;
  /** The target of its id, once resolved. */
  target: Target | undefined;
  /** The arguments in the record of its outcome: the sent ones, which may differ from the requested ones. */
  args: JsonObject;
  /** The arguments that were converted to the types of the schema. */
  coerced: readonly string[] | undefined;
  /** Path of the invalid argument. */
  argument: string | undefined;
  /** Questions of its server that no client could be asked. */
  refused: readonly ServerRequestMethod[] | undefined;
  /** The rule that decided, as records name it. */
  rule: string | undefined;
  /**
   * The result of the shadow rules, as records name it; absent if they would not have stopped it. Declared only: a
   * field would take memory in every call.
   */
  declare shadow?: string;
  /** Further details of its record; likewise. */
  declare noted?: JsonObject;
  /** The grant that answers it in place of a person; likewise. */
  declare granted?: GrantUse | undefined;
  /** Whether its tool says that it failed (MCP, `isError`). */
  isToolError = false;
  /** How long it waited for a place at its server, milliseconds; undefined if it was not sent. */
  queueMs: number | undefined;
  /** From that moment to the answer, milliseconds. */
  upstreamMs: number | undefined;
  #durationMs = 0;
  /** Whether a pass over its arguments takes long. */
  readonly isLarge: boolean;
  /** Whether such a pass takes so long that other calls run between two of its steps. */
  readonly isHuge: boolean;
  /** Whether its record has been written already. */
  isAudited = false;
  #action: OpenAction | undefined;

  constructor(on: RunDeps, state: PlaneState, given: Call, entry: Entry) {
    this.#on = on;
    this.state = state;
    this.entry = entry;
    this.args = given.args;
    this.isLarge = sizeUpTo([given.args], manyArguments) > manyArguments;
    this.isHuge = this.isLarge && isHuge(given.args);
    this.#startedAtMs = on.clock.now();
    if (on.tracer !== undefined) {
      const redactor = state.policy.redactorOf(given.caller.role);
      this.trace = new ExecutionTrace(on.tracer, on, redactor, given, approvalIdOf(entry));
    }
    this.call = this.trace?.call ?? given;
  }

  /** Resolves when there is room for its record; undefined if there is. @throws CallFailure */
  begin(): Promise<void> | undefined {
    const { audit, operations, parked } = this.#on;
    const { caller, correlation, batch, task, signal, idempotencyKey, requestState } = this.call;
    if (requestState !== undefined) this.continued = parked.keyOf(caller.principal, requestState);
    const isTicket = this.entry.kind === 'ticket';
    if (isTicket || idempotencyKey !== null || correlation.requestId !== null || this.continued !== undefined)
      this.key = this.isLarge ? this.#keyOfMany() : keyInForce(this);
    // A step is found by the request id of its batch, which is registered as a whole.
    const requestId = batch === undefined ? correlation.requestId : null;
    const isKeyGiven = isTicket || idempotencyKey !== null;
    const identity = { principal: caller.principal, requestId, key: this.key, isKeyGiven };
    if (requestId !== null && operations.hasConflict(identity)) throw requestIdInUse(requestId);
    // A call with a key continues when its caller disconnects; a step of a batch ends with it.
    const parent = task?.signal ?? batch?.signal ?? (this.key === null ? signal : undefined);
    this.operation = operations.begin(identity, this.state.config.toolTimeoutMs, parent);
    const opening = audit.begin();
    if (opening instanceof Promise) return this.#waitForRoom(opening);
    this.#action = opening;
    return undefined;
  }

  /** Runs a step over many arguments: the watchdog sees its stage. */
  overMany<T>(stage: string, work: () => T): T {
    const { kind, id, caller } = this.call;
    const { policy } = this.state;
    return inStage(this.#on.stages, stage, shownId(policy.redactorOf(caller.role), kind, id), work);
  }

  #keyOfMany(): string | null {
    return this.overMany('digesting the arguments', () => keyInForce(this));
  }

  /** Runs a step that contains others. */
  around<T>(step: 'dedupe' | 'approve', work: () => Promise<T>): Promise<T> {
    return this.trace === undefined ? work() : this.trace.around(step, work);
  }

  /** Ends the call with an error that a step has thrown. */
  fail(error: unknown): Outcome | Promise<Outcome> {
    const { correlation, args } = this.call;
    this.trace?.fail(error);
    const envelope =
      error instanceof CallFailure
        ? errorEnvelope(correlation, error.retry, this.#detailOf(error))
        : defectEnvelope(this.#on.log, correlation, error, unknownOutcome, true);
    // A log that refuses or fails has counted the call, or keeps the record for later.
    this.isAudited = error instanceof AuditUnavailable;
    if (error instanceof CallFailure) {
      this.rule = error.rule ?? this.rule;
      this.argument = error.argument;
      if (error.reason === 'argument_rule') this.noted = { reason: error.reason };
    }
    this.args = args;
    return this.end({ kind: 'answered', envelope });
  }

  /** Adds similar ids that the caller may see to the failure of an unknown one. */
  #detailOf(error: CallFailure): ErrorDetail {
    const { kind, id, caller } = this.call;
    if (error.code !== 'TOOL_NOT_FOUND' || error.hint !== undefined || kind !== 'tool') return error;
    const { code, message } = error;
    return { code, message, hint: nearHint(this.state.view(caller), id) };
  }

  /**
   * The answer to its caller: the outcome, unless it could not be recorded. A promise if the record has to be waited
   * for.
   */
  end(outcome: Outcome): Outcome | Promise<Outcome> {
    if (this.operation !== undefined) this.operation.end(); // a call that was refused earlier has none
    if (outcome.kind === 'replayed') this.isToolError = isToolError(outcome.envelope);
    const recorded = this.isAudited ? undefined : this;
    const unsafe = this.isLarge
      ? this.#leaveRecordOfMany(outcome, recorded)
      : leaveRecord(this.#on, this.call.correlation, this.#action, recorded, outcome);
    return unsafe instanceof Promise ? this.#finishLater(outcome, unsafe) : this.#finish(outcome, unsafe);
  }

  #leaveRecordOfMany(outcome: Outcome, recorded: Run | undefined): Unsafe | undefined | Promise<Unsafe | undefined> {
    const leave = () => leaveRecord(this.#on, this.call.correlation, this.#action, recorded, outcome);
    return this.overMany('recording the arguments', leave);
  }

  async #finishLater(outcome: Outcome, unsafe: Promise<Unsafe | undefined>): Promise<Outcome> {
    return this.#finish(outcome, await unsafe);
  }

  /** The draft of its audit record. */
  toDraft(outcome: Outcome): AuditDraft {
    const { clock, state } = this.#on;
    const { kind, envelope, dataText } = outcome;
    this.#durationMs = clock.now() - this.#startedAtMs;
    const code = envelope.error?.code ?? (this.isToolError ? toolErrorCode : undefined);
    const end = {
      kind,
      code,
      isUnsent: envelope.retry.upstream_execution_state === 'not_started',
      isInterim: envelope.ok && envelope.retry.upstream_execution_state !== 'completed' && isQuestion(envelope.data),
      epochMs: clock.epochMs(),
      durationUs: Math.round(this.#durationMs * 1000),
      dataText,
      digestKey:
        code !== undefined ||
        this.rule !== undefined ||
        !(kind === 'answered' || kind === 'replayed') ||
        this.state.config.audit.digests === 'all'
          ? this.#on.digestKey
          : undefined,
      key: this.key,
      details:
        this.coerced === undefined &&
        this.refused === undefined &&
        this.argument === undefined &&
        this.shadow === undefined &&
        this.noted === undefined &&
        this.granted?.grant === undefined
          ? undefined
          : detailsOf(this),
      approvalId: this.entry.kind === 'ticket' ? this.entry.approvalId : (envelope.error?.approval_id ?? null),
    };
    return callDraft(this, end, state());
  }

  #finish(ended: Outcome, unsafe: Unsafe | undefined): Outcome {
    const outcome: Outcome =
      unsafe === undefined
        ? ended
        : { kind: 'answered', envelope: errorEnvelope(this.call.correlation, ended.envelope.retry, unsafe) };
    this.trace?.ended(outcome);
    this.#on.count(this, outcome, this.#durationMs || this.#on.clock.now() - this.#startedAtMs);
    return outcome;
  }

  /** Waits for the audit queue, at most until the call's deadline. @throws CallFailure */
  async #waitForRoom(opening: Promise<OpenAction>): Promise<void> {
    const { signal } = this.operation;
    try {
      this.#action = await untilAborted(opening, signal);
    } catch (error) {
      if (error instanceof CallFailure || !signal.aborted) throw error;
      opening.then((action) => action.end()).catch(() => {}); // nothing was done
      throw signal.reason instanceof DeadlinePassed ? new AuditUnavailable('its queue is full') : cancelled(signal);
    }
  }
}

/** A path may be of any member that the caller sent. */
const maxPath = 200;

function detailsOf({ coerced, refused, argument, shadow, noted, granted, state, call }: Run): JsonObject {
  const { redactText } = state.policy.redactorOf(call.caller.role);
  return {
    ...(argument === undefined ? {} : { argument: redactText(argument).slice(0, maxPath) }),
    ...(coerced === undefined ? {} : { coerced }),
    ...(refused === undefined ? {} : { refused_requests: refused }),
    ...(shadow === undefined ? {} : { shadow }),
    ...(granted?.grant === undefined ? {} : { grant: granted.grant.id }),
    ...noted,
  };
}

function isHuge(args: JsonObject): boolean {
  const limit = exactNumbers in args ? hugeExactArguments : hugeArguments;
  return sizeUpTo([args], limit) > limit;
}

/** A waiting call continues under its first key, for any request ids. @throws CallFailure INVALID_ARGS */
function keyInForce({ call, entry, continued }: Run): string | null {
  if (entry.kind === 'ticket') return entry.claim?.key ?? null;
  return call.idempotencyKey === null && continued !== undefined ? continued.key : keyOf(call);
}

/**
 * Writes the record, unless it was written already.
 * @returns the answer if the record is not as durable as configured; undefined if it is
 */
export function leaveRecord<T>(
  on: Pick<RecordDeps, 'audit' | 'log'>,
  correlation: Correlation,
  action: OpenAction | undefined,
  recorded: { toDraft(ended: T): AuditDraft } | undefined,
  ended: T,
): Unsafe | undefined | Promise<Unsafe | undefined> {
  try {
    const draft = recorded?.toDraft(ended);
    // A call that was refused before it began has no action yet.
    const left = action === undefined && draft !== undefined ? beginAndEnd(on.audit, draft) : action?.end(draft);
    return left && orUnsafe(on, correlation, left);
  } catch (error) {
    return toUnsafe(on, correlation, error);
  }
}

async function orUnsafe(
  on: Pick<RecordDeps, 'log'>,
  correlation: Correlation,
  left: Promise<void>,
): Promise<Unsafe | undefined> {
  try {
    await left;
    return undefined;
  } catch (error) {
    return toUnsafe(on, correlation, error);
  }
}

function beginAndEnd(audit: AuditLog, draft: AuditDraft): Promise<void> | undefined {
  const opening = audit.begin();
  return opening instanceof Promise ? opening.then((opened) => opened.end(draft)) : opening.end(draft);
}

type Unsafe = { readonly code: 'INTERNAL_ERROR'; readonly message: string; readonly retryable: false };

function toUnsafe({ log }: Pick<RecordDeps, 'log'>, correlation: Correlation, error: unknown): Unsafe {
  // The log has reported its outage itself.
  if (!(error instanceof AuditUnavailable)) {
    log('error', 'an audit record could not be written', { ...traceFields(correlation), error });
  }
  const message = 'the call ended, but its audit record is not written yet: the audit log fails';
  return { code: 'INTERNAL_ERROR', message, retryable: false };
}

export function requestIdInUse(requestId: string | null): CallFailure {
  const message = `another operation is in flight under request id ${JSON.stringify(requestId)}; wait for it, or use another`;
  return new CallFailure('INVALID_ARGS', message);
}
