// The outcome of a run: a result, a question, a task, or a failure.
import { ApiError } from '@portico/client';
import { type Envelope, isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';
import { type Problem, toProblem } from '../lib/problem.js';

interface Timed {
  /** Milliseconds from sending to the answer, as this browser saw it. */
  readonly elapsedMs: number;
}

export interface Question {
  readonly inputRequests: Readonly<Record<string, JsonObject>>;
  readonly requestState: string;
}

export type RunOutcome = Timed &
  (
    | { readonly kind: 'result'; readonly envelope: Envelope; readonly data: JsonValue }
    | { readonly kind: 'question'; readonly envelope: Envelope; readonly question: Question }
    | { readonly kind: 'task'; readonly envelope: Envelope; readonly taskId: string }
    | { readonly kind: 'pending'; readonly envelope: Envelope; readonly approvalId: string }
    | { readonly kind: 'failure'; readonly envelope: Envelope | undefined; readonly problem: Problem }
  );

export function toRunOutcome(envelope: Envelope, elapsedMs: number): RunOutcome {
  const { data } = envelope;
  if (isJsonObject(data) && data.resultType === 'input_required') {
    const { inputRequests = {}, requestState = '' } = data;
    const question = { inputRequests, requestState } as unknown as Question; // as every interim answer of the service
    return { kind: 'question', envelope, question, elapsedMs };
  }
  if (isJsonObject(data) && data.resultType === 'task' && isJsonObject(data.task))
    return { kind: 'task', envelope, taskId: String(data.task.task_id), elapsedMs };
  return { kind: 'result', envelope, data, elapsedMs };
}

export function toFailedRun(error: unknown, elapsedMs: number): RunOutcome {
  if (error instanceof ApiError && error.code === 'APPROVAL_PENDING' && error.approvalId !== undefined)
    return { kind: 'pending', envelope: error.envelope, approvalId: error.approvalId, elapsedMs };
  const envelope = error instanceof ApiError ? error.envelope : undefined;
  return { kind: 'failure', envelope, problem: toProblem(error), elapsedMs };
}
