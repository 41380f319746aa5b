// Step 9: makes the envelope of an answer or a failure.
import { type Correlation, type Envelope, errorEnvelope, successEnvelope } from '@portico/contracts';
import type { CallFailure } from '../../call/call.js';
import type { Answer } from './invoke.js';

export function answerEnvelope(correlation: Correlation, { data, retry }: Answer): Envelope {
  return successEnvelope(correlation, retry, data);
}

export function failureEnvelope(correlation: Correlation, failure: CallFailure): Envelope {
  return errorEnvelope(correlation, failure.retry, failure);
}
