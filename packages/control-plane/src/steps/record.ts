// Step 1: holds a call while it runs. Catches everything, so that a call always ends in an envelope.
import { type Correlation, type Envelope, errorEnvelope, successEnvelope, unknownOutcome } from '@portico/contracts';
import { CallFailure } from '../call.js';
import type { Log } from '../ports.js';
import type { Answer } from './invoke.js';

export async function record(log: Log, correlation: Correlation, run: () => Promise<Answer>): Promise<Envelope> {
  try {
    const { data, retry } = await run();
    return successEnvelope(correlation, retry, data);
  } catch (error) {
    if (error instanceof CallFailure) return errorEnvelope(correlation, error.retry, error);
    log('error', 'a call failed from a defect', { trace_id: correlation.traceId, error });
    const message = `internal error; the log has the details under trace ${correlation.traceId}`;
    return errorEnvelope(correlation, unknownOutcome, { code: 'INTERNAL_ERROR', message });
  }
}
