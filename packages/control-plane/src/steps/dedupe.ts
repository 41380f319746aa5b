// Step 5: one execution per idempotency key. A repeat gets the stored answer; the intent is durable before the contact.
import { type Correlation, type Envelope, errorEnvelope, type RetryMetadata } from '@portico/contracts';
import {
  deriveKey,
  fingerprintOf,
  type Intent,
  type KeyUse,
  type OnceResult,
  type RunOnce,
} from '@portico/idempotency';
import { DeadlinePassed } from '@portico/upstream-pool';
import { type Call, CallFailure, type Outcome } from '../call.js';
import { isInterim } from '../interim.js';
import { retryOf } from '../retry.js';
import { cancelled } from './invoke.js';
import type { Target } from './resolve.js';

/** The key in force: the client's own, else one derived from its request id; null without either. @throws CallFailure INVALID_ARGS */
export function keyOf({ kind, id, args, correlation, idempotencyKey, batch }: Call): string | null {
  if (idempotencyKey !== null) return batch === undefined ? idempotencyKey : `${idempotencyKey}/${batch.stepId}`;
  const { requestId, context } = correlation;
  if (requestId === null) return null;
  return canonical(() => deriveKey({ kind, id, args }, context?.actor_id ?? null, requestId, batch?.stepId));
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

/** The stored answer of a key that has been used, or undefined. @throws CallFailure INVALID_ARGS */
export async function replay(
  once: RunOnce,
  use: KeyUse,
  target: Target,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  try {
    const found = await once.find(use, signal);
    return found && toOutcome(found, use);
  } catch (error) {
    throw signal.aborted ? waitEnded(signal, retryOf(target, true, 'unknown')) : error;
  }
}

export interface DedupeInput {
  readonly call: Call;
  readonly target: Target;
  readonly epochMs: number;
  /** Ends the wait for another's run. */
  readonly signal: AbortSignal;
}

/** Runs the work unless the key has been used. @throws CallFailure INVALID_ARGS, INTERNAL_ERROR */
export async function dedupe(
  once: RunOnce,
  use: KeyUse,
  { call, target, epochMs, signal }: DedupeInput,
  work: () => Promise<Envelope>,
): Promise<Outcome> {
  const intent: Intent = {
    ...use,
    capabilityId: target.id,
    firstTraceId: call.correlation.traceId,
    createdAtMs: epochMs,
    unknownResponse: JSON.stringify(interrupted(call.correlation, retryOf(target, true, 'unknown'))),
  };
  let isBegun = false;
  let own: Envelope | undefined;
  const ran = async () => {
    isBegun = true;
    own = await work();
    return { response: JSON.stringify(own), keep: isKept(own) };
  };
  try {
    const result = await once.run(intent, ran, signal);
    return own === undefined ? toOutcome(result, use) : { kind: 'answered', envelope: own };
  } catch (error) {
    if (isBegun || error instanceof CallFailure) throw error;
    if (signal.aborted) throw waitEnded(signal, retryOf(target, true, 'unknown'));
    const message = `nothing was sent: the state store cannot be written (${error instanceof Error ? error.message : error})`;
    throw new CallFailure('INTERNAL_ERROR', message);
  }
}

/** This call waited for another with its key, and gave up first. */
function waitEnded(signal: AbortSignal, retry: RetryMetadata): CallFailure {
  const { reason } = signal;
  if (!(reason instanceof DeadlinePassed)) return cancelled(signal, retry);
  const message = `the call that runs under this key did not end within ${reason.timeoutMs} ms (toolTimeoutMs)`;
  return new CallFailure('UPSTREAM_TIMEOUT', message, retry);
}

/** The answer of a call that was running when the service ended: nobody knows what came of it. */
export function interrupted(correlation: Correlation, retry: RetryMetadata): Envelope {
  const message = 'the service ended while this call ran; whether it took effect is not known, and it is not run again';
  return errorEnvelope(correlation, retry, { code: 'INTERNAL_ERROR', message, retryable: false });
}

/** Every outcome after the contact is kept, unknown ones too. What never left, or is on the way to an answer, is not. */
function isKept({ ok, data, retry }: Envelope): boolean {
  return retry.upstream_execution_state !== 'not_started' && !(ok && isInterim(data));
}

function toOutcome(result: OnceResult, { key }: KeyUse): Outcome {
  if (result.kind === 'mismatch') {
    const message = `idempotency key ${JSON.stringify(key)} was used for another request; use a new key for this one`;
    throw new CallFailure('INVALID_ARGS', message);
  }
  // It was made by `answer` or `interrupted`, here or before a restart.
  const envelope = JSON.parse(result.response) as Envelope;
  return { kind: result.kind === 'ran' ? 'answered' : 'replayed', envelope };
}
