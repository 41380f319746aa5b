// Maps the envelope of a call to the status of its task.
import type { Envelope, RetryMetadata } from '@portico/contracts';
import type { Task } from './task.js';

/** For a task with an unknown end. */
export const unknownRetry: RetryMetadata = { classification: 'unsafe', upstream_execution_state: 'unknown' };

/** A task that the end of the service interrupted does not count as cancelled. */
export function endOf(envelope: Envelope, isCancelled: boolean): Pick<Task, 'status' | 'statusMessage'> {
  if (envelope.ok) return { status: 'completed', statusMessage: null };
  const { code, message } = envelope.error;
  const status = code === 'OPERATION_CANCELLED' && isCancelled ? 'cancelled' : 'failed';
  return { status, statusMessage: message };
}
