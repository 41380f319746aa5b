// What a task's status becomes by the envelope of its call.
import type { Envelope, RetryMetadata } from '@portico/contracts';
import type { Task } from './task.js';

/** Of a task that nobody saw the end of. */
export const unknownRetry: RetryMetadata = { classification: 'unsafe', upstream_execution_state: 'unknown' };

/** What the end of the service cut off was not cancelled by anybody. */
export function endOf(envelope: Envelope, isCancelled: boolean): Pick<Task, 'status' | 'statusMessage'> {
  if (envelope.ok) return { status: 'completed', statusMessage: null };
  const { code, message } = envelope.error;
  const status = code === 'OPERATION_CANCELLED' && isCancelled ? 'cancelled' : 'failed';
  return { status, statusMessage: message };
}
