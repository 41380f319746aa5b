// Step 5: one execution per idempotency key. A repeat gets the stored answer; the intent is durable before the contact.
import type { AbortSignalLike } from '@portico/async';
import { envelopeText, isQuestion, readEnvelope } from '@portico/contracts';
import {
  type Ended,
  type IdempotencyClaim,
  type Intent,
  NotBegun,
  notOpen,
  type OnceResult,
  type RunOnce,
  type Turn,
} from '@portico/idempotency';
import { DeadlinePassed } from '@portico/upstream-pool';
import { type Call, CallFailure, type Outcome } from '../../call/call.js';
import { cancelled, storeFailure, unrecorded, unrecordedMessage } from '../../call/failures.js';
import type { Target } from '../../call/target.js';
import { retryOf } from '../../state/target.js';

/** The stored answer of a used key, or undefined. @throws CallFailure INVALID_ARGS, INTERNAL_ERROR */
export async function replay(
  once: RunOnce,
  claim: IdempotencyClaim,
  target: Target,
  signal: AbortSignalLike,
): Promise<Outcome | undefined> {
  try {
    const found = await fromAnywhere(once, claim, signal, () => once.find(claim, signal));
    return found && toOutcome(found, claim);
  } catch (error) {
    throw toFailure(error, target, signal);
  }
}

export interface DedupeInput {
  readonly call: Call;
  readonly target: Target;
  readonly epochMs: number;
  /** Ends the wait for the execution of another call. */
  readonly signal: AbortSignalLike;
}

/** How a turn of a call ended. */
export type TurnOutcome = Extract<Outcome, { readonly kind: 'answered' }>;

/**
 * Runs the work, which never rejects, unless the key has been used; for a paused call, its next turn.
 * @throws CallFailure INVALID_ARGS, INTERNAL_ERROR
 */
export async function dedupe(
  once: RunOnce,
  claim: IdempotencyClaim,
  { call, target, epochMs, signal }: DedupeInput,
  work: (isFirst: boolean) => Promise<TurnOutcome>,
): Promise<Outcome> {
  const intent = new CallIntent(claim, call, target, epochMs);
  let own: TurnOutcome | undefined;
  const takeTurn = async (isFirst: boolean): Promise<Turn> => {
    own = await work(isFirst);
    return own.isPaused === true ? { kind: 'paused', response: JSON.stringify(own.envelope) } : endedWith(own);
  };
  const attempt = () => once.run(intent, takeTurn, { turn: call.requestState, signal });
  try {
    const { task } = call;
    const known = await fromAnywhere(once, claim, signal, attempt, () => task?.isPreferred && task.become());
    return own === undefined ? toOutcome(known, claim) : own;
  } catch (error) {
    throw toFailure(error, target, signal);
  }
}

class CallIntent implements Intent {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly kind: Intent['kind'];
  readonly capabilityId: string;
  readonly firstTraceId: string;
  readonly createdAtMs: number;
  readonly #call: Call;
  readonly #target: Target;

  constructor({ scope, key, fingerprint }: IdempotencyClaim, call: Call, target: Target, createdAtMs: number) {
    this.scope = scope;
    this.key = key;
    this.fingerprint = fingerprint;
    this.kind = call.kind;
    this.capabilityId = target.id;
    this.firstTraceId = call.correlation.traceId;
    this.createdAtMs = createdAtMs;
    this.#call = call;
    this.#target = target;
  }

  /** A repeat writes no intent. */
  get unknownResponse(): string {
    return JSON.stringify(unrecorded(this.#call.correlation, retryOf(this.#target, true, 'unknown')));
  }
}

type HereResult = Exclude<OnceResult, { readonly kind: 'elsewhere' }>;

/** Asks again when the execution of another process under the key has ended, until the outcome is known. */
async function fromAnywhere<T extends OnceResult | undefined>(
  once: RunOnce,
  claim: IdempotencyClaim,
  signal: AbortSignalLike,
  ask: () => Promise<T>,
  onElsewhere: () => void = () => {},
): Promise<Exclude<T, { readonly kind: 'elsewhere' }>> {
  for (;;) {
    const result = await ask();
    if (result?.kind !== 'elsewhere') return result as Exclude<T, { readonly kind: 'elsewhere' }>; // excluded above
    onElsewhere();
    await once.untilEnded(claim, signal);
  }
}

/** Why there is no answer: the store failed, or this call stopped waiting for another with its key. */
function toFailure(error: unknown, target: Target, signal: AbortSignalLike): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof NotBegun) return error.cause instanceof CallFailure ? error.cause : storeFailure(error);
  const retry = retryOf(target, true, 'unknown');
  const hasGivenUp = signal.aborted && error === signal.reason;
  if (!hasGivenUp) {
    const reason = error instanceof Error ? error.message : error;
    const message = `${unrecordedMessage} (${reason === notOpen ? reason : `the state store fails: ${reason}`})`;
    return new CallFailure('INTERNAL_ERROR', message, retry, { retryable: false });
  }
  const { reason } = signal;
  if (!(reason instanceof DeadlinePassed)) return cancelled(signal, retry);
  const message = `the call that runs under this key did not end within ${reason.timeoutMs} ms (toolTimeoutMs)`;
  return new CallFailure('UPSTREAM_TIMEOUT', message, retry);
}

/**
 * Every outcome after the contact is stored, unknown ones too. A request that was never sent is not, nor is a question
 * to the caller.
 */
export function endedWith({ envelope, dataText }: Pick<TurnOutcome, 'envelope' | 'dataText'>): Ended {
  const { ok, data, retry } = envelope;
  const keep = retry.upstream_execution_state !== 'not_started' && !(ok && isQuestion(data));
  return { kind: 'ended', response: envelopeText(envelope, dataText), keep };
}

function toOutcome(result: HereResult, { key }: IdempotencyClaim): Outcome {
  if (result.kind === 'mismatch') {
    const message = `idempotency key ${JSON.stringify(key)} was used for another request; use a new key for this one`;
    throw new CallFailure('INVALID_ARGS', message);
  }
  // Created by `answer` or `unrecorded`, in this run or an earlier one.
  const { envelope, dataText } = readEnvelope(result.response);
  return { kind: result.kind === 'ran' ? 'answered' : 'replayed', envelope, dataText };
}
