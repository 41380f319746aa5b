// Step 5: one execution per idempotency key. A repeat gets the stored answer; the intent is durable before the contact.
import {
  type Correlation,
  type Envelope,
  errorEnvelope,
  isQuestion,
  parseJson,
  type RetryMetadata,
} from '@portico/contracts';
import {
  deriveKey,
  type Ended,
  fingerprintOf,
  type Intent,
  type KeyUse,
  NotBegun,
  notOpen,
  type OnceResult,
  type RunOnce,
  type Turn,
} from '@portico/idempotency';
import { DeadlinePassed } from '@portico/upstream-pool';
import { type Call, CallFailure, type Outcome } from '../call.js';
import { retryOf } from '../retry.js';
import { cancelled } from './invoke.js';
import type { Target } from './resolve.js';

/** The key in force: the client's own, else one derived from its request id; null without either. @throws CallFailure INVALID_ARGS */
export function keyOf({ kind, id, args, correlation, idempotencyKey, batch }: Call): string | null {
  if (idempotencyKey !== null) return batch === undefined ? idempotencyKey : stepKey(idempotencyKey, batch.stepId);
  const { requestId, context } = correlation;
  if (requestId === null) return null;
  return canonical(() => deriveKey({ kind, id, args }, context?.actor_id ?? null, requestId, batch?.stepId));
}

/** The last slash is before the step's part, whatever the two hold, so no two steps share a key. */
function stepKey(key: string, stepId: string): string {
  const part = stepId.replaceAll('%', '%25').replaceAll('/', '%2F');
  if (/[\uD800-\uDFFF]/u.test(part)) throw new CallFailure('INVALID_ARGS', 'the id of a step is no valid Unicode text');
  return `${key}/${part}`;
}

/** @throws CallFailure INVALID_ARGS */
export function useOf(call: Call, target: Target, key: string): KeyUse {
  const fingerprint = canonical(() => fingerprintOf({ kind: call.kind, id: target.id, args: call.args }));
  return { scope: call.caller.principal, key, fingerprint };
}

function canonical<T>(compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof TypeError) throw new CallFailure('INVALID_ARGS', `args: ${error.message}`);
    throw error;
  }
}

/** The stored answer of a key that has been used, or undefined. @throws CallFailure INVALID_ARGS, INTERNAL_ERROR */
export async function replay(
  once: RunOnce,
  use: KeyUse,
  target: Target,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  try {
    const found = await fromAnywhere(once, use, signal, () => once.find(use, signal));
    return found && toOutcome(found, use);
  } catch (error) {
    throw toFailure(error, target, signal);
  }
}

export interface DedupeInput {
  readonly call: Call;
  readonly target: Target;
  readonly epochMs: number;
  /** Ends the wait for another's run while that is under way. */
  readonly signal: AbortSignal;
}

/** What came of a turn of a call. */
export interface TurnEnvelope {
  readonly envelope: Envelope;
  /** It waits at its upstream for its caller. */
  readonly isPaused: boolean;
}

/**
 * Runs the work, which never rejects, unless the key has been used; where it is paused, its next turn.
 * @throws CallFailure INVALID_ARGS, INTERNAL_ERROR
 */
export async function dedupe(
  once: RunOnce,
  use: KeyUse,
  { call, target, epochMs, signal }: DedupeInput,
  work: (isFirst: boolean) => Promise<TurnEnvelope>,
): Promise<Outcome> {
  const intent: Intent = {
    ...use,
    kind: call.kind,
    capabilityId: target.id,
    firstTraceId: call.correlation.traceId,
    createdAtMs: epochMs,
    unknownResponse: JSON.stringify(unrecorded(call.correlation, retryOf(target, true, 'unknown'))),
  };
  let own: Envelope | undefined;
  const takeTurn = async (isFirst: boolean): Promise<Turn> => {
    const { envelope, isPaused } = await work(isFirst);
    own = envelope;
    return isPaused ? { kind: 'paused', response: JSON.stringify(envelope) } : endedWith(envelope);
  };
  const attempt = () => once.run(intent, takeTurn, { turn: call.requestState, signal });
  try {
    const { task } = call;
    const known = await fromAnywhere(once, use, signal, attempt, () => task?.isPreferred && task.become());
    return own === undefined ? toOutcome(known, use) : { kind: 'answered', envelope: own };
  } catch (error) {
    throw toFailure(error, target, signal);
  }
}

type HereResult = Exclude<OnceResult, { readonly kind: 'elsewhere' }>;

/** Asks again when what another process runs under the key has ended, until that says what came of it. */
async function fromAnywhere<T extends OnceResult | undefined>(
  once: RunOnce,
  use: KeyUse,
  signal: AbortSignal,
  ask: () => Promise<T>,
  onElsewhere: () => void = () => {},
): Promise<Exclude<T, { readonly kind: 'elsewhere' }>> {
  for (;;) {
    const result = await ask();
    if (result?.kind !== 'elsewhere') return result as Exclude<T, { readonly kind: 'elsewhere' }>; // which it is not
    onElsewhere();
    await once.untilEnded(use, signal);
  }
}

/** Why there is no answer: the store, or this call gave up waiting for another with its key. */
function toFailure(error: unknown, target: Target, signal: AbortSignal): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof NotBegun) return storeFailure(error);
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

/** Nothing may be sent that could not be written down before. */
export function storeFailure(error: unknown): CallFailure {
  const reason = error instanceof Error ? error.message : error;
  return new CallFailure('INTERNAL_ERROR', `nothing was sent: the state store cannot be written (${reason})`);
}

/** What the state store is asked before anything is sent. @throws CallFailure INTERNAL_ERROR where that fails */
export function kept<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => Promise.reject(storeFailure(error)));
}

export const unrecordedMessage =
  'the outcome of this call was not recorded; whether it took effect is not known, and it is not run again';

/** The answer of a call whose outcome nobody wrote down: the service ended while it ran, or its store failed. */
export function unrecorded(correlation: Correlation, retry: RetryMetadata): Envelope {
  return errorEnvelope(correlation, retry, { code: 'INTERNAL_ERROR', message: unrecordedMessage, retryable: false });
}

/** Every outcome after the contact is kept, unknown ones too. What never left is not, nor is a question to the caller. */
export function endedWith(envelope: Envelope): Ended {
  const { ok, data, retry } = envelope;
  const keep = retry.upstream_execution_state !== 'not_started' && !(ok && isQuestion(data));
  return { kind: 'ended', response: JSON.stringify(envelope), keep };
}

function toOutcome(result: HereResult, { key }: KeyUse): Outcome {
  if (result.kind === 'mismatch') {
    const message = `idempotency key ${JSON.stringify(key)} was used for another request; use a new key for this one`;
    throw new CallFailure('INVALID_ARGS', message);
  }
  // It was made by `answer` or `unrecorded`, here or before a restart.
  const envelope = parseJson(result.response) as Envelope;
  return { kind: result.kind === 'ran' ? 'answered' : 'replayed', envelope };
}
