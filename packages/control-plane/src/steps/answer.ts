// Step 9: turns what became of a call into its envelope. A defect is not an answer; it goes on to where all are caught.
import { type Correlation, type Envelope, errorEnvelope, isJsonObject, successEnvelope } from '@portico/contracts';
import { CallFailure } from '../call.js';
import type { Answer } from './invoke.js';

export async function answer(correlation: Correlation, work: () => Promise<Answer>): Promise<Envelope> {
  try {
    const { data, retry } = await work();
    return successEnvelope(correlation, retry, data);
  } catch (error) {
    if (error instanceof CallFailure) return errorEnvelope(correlation, error.retry, error);
    throw error;
  }
}

/** Whether the answer is on the way to another one: `input_required` and `task` results (MCP 2026-07-28). */
export function isInterim({ data }: Pick<Answer, 'data'>): boolean {
  return isJsonObject(data) && data.resultType !== undefined && data.resultType !== 'complete';
}
