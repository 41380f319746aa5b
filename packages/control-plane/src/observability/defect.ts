// The answer of a call that failed from a defect in Portico: the outcome is unknown, and the log has the details.
import { type Correlation, type ErrorEnvelope, errorEnvelope, type RetryMetadata } from '@portico/contracts';
import type { Log } from '../common/log.js';
import { traceFields } from './tracing/trace-context.js';

/** Logs the defect. Where a key is in force the call is not run again, and the answer says so. */
export function defectEnvelope(
  log: Log,
  correlation: Correlation,
  error: unknown,
  retry: RetryMetadata,
  retryable: boolean,
): ErrorEnvelope {
  log('error', 'a call failed from a defect', { ...traceFields(correlation), error });
  const message = `internal error; the log has the details under trace ${correlation.traceId}`;
  return errorEnvelope(correlation, retry, { code: 'INTERNAL_ERROR', message, retryable });
}
