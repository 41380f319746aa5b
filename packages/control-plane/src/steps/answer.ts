// Step 9: turns what became of a call into its envelope. A defect is not an answer; it goes on to where all are caught.
import { type Correlation, type Envelope, errorEnvelope, successEnvelope } from '@portico/contracts';
import { CallFailure } from '../call.js';
import type { Steps } from '../tracing/steps.js';
import type { Answer } from './invoke.js';

export async function answer({ run }: Steps, correlation: Correlation, work: () => Promise<Answer>): Promise<Envelope> {
  try {
    const { data, retry } = await work();
    return run('answer', () => successEnvelope(correlation, retry, data));
  } catch (error) {
    if (error instanceof CallFailure) return run('answer', () => errorEnvelope(correlation, error.retry, error));
    throw error;
  }
}
