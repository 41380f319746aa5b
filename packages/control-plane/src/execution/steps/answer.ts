// Step 9: turns what became of a call into its envelope. A defect is not an answer; it goes on to where all are caught.
import { type Correlation, type Envelope, errorEnvelope, successEnvelope } from '@portico/contracts';
import { CallFailure } from '../../call/call.js';
import type { Steps } from '../../observability/tracing/steps.js';
import type { Answer } from './invoke.js';

const plain: Pick<Steps, 'run'> = { run: (_name, work) => work() };

export async function toEnvelope(
  correlation: Correlation,
  answered: Promise<Answer>,
  { run }: Pick<Steps, 'run'> = plain,
): Promise<Envelope> {
  try {
    const { data, retry } = await answered;
    return run('answer', () => successEnvelope(correlation, retry, data));
  } catch (error) {
    if (error instanceof CallFailure) return run('answer', () => errorEnvelope(correlation, error.retry, error));
    throw error;
  }
}
