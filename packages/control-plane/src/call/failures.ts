// Failures that several steps end a call with.
import type { AbortSignalLike } from '@portico/async';
import { type Correlation, type Envelope, errorEnvelope, nothingSent, type RetryMetadata } from '@portico/contracts';
import { CallFailure } from './call.js';
import { OperationCancelled, ServiceStopping } from './operations.js';

/** The failure of a call that was cancelled, or whose caller went away. */
export function cancelled(signal: AbortSignalLike, retry: RetryMetadata = nothingSent): CallFailure {
  const { reason } = signal;
  const isKnown = reason instanceof OperationCancelled || reason instanceof ServiceStopping;
  return new CallFailure('OPERATION_CANCELLED', isKnown ? reason.message : 'the caller went away', retry);
}

/** The failure of a call as a value. @throws every other error */
export function asFailure(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  throw error;
}

/** Nothing may be sent that could not be written down before. */
export function storeFailure(error: unknown): CallFailure {
  const reason = error instanceof Error ? error.message : error;
  return new CallFailure('INTERNAL_ERROR', `nothing was sent: the state store cannot be written (${reason})`);
}

/** Wraps a request to the state store before anything is sent. @throws CallFailure INTERNAL_ERROR if it fails */
export function kept<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => Promise.reject(storeFailure(error)));
}

export const unrecordedMessage =
  'the outcome of this call was not recorded; whether it took effect is not known, and it is not run again';

/** The answer of a call without a recorded outcome: the service ended while it ran, or its store failed. */
export function unrecorded(correlation: Correlation, retry: RetryMetadata): Envelope {
  return errorEnvelope(correlation, retry, { code: 'INTERNAL_ERROR', message: unrecordedMessage, retryable: false });
}
