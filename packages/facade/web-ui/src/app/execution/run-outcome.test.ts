import { ApiError, UnreachableError } from '@portico/client';
import { errorEnvelope, type JsonValue, nothingSent, type SuccessEnvelope } from '@portico/contracts';
import { expect, it } from 'vitest';
import { toFailedRun, toRunOutcome } from './run-outcome.js';

const success = (data: JsonValue): SuccessEnvelope => ({
  ok: true,
  request_id: null,
  trace_id: 'a'.repeat(32),
  retry: { classification: 'safe', upstream_execution_state: 'completed' },
  data,
  error: null,
});
const refused = (code: 'APPROVAL_PENDING' | 'POLICY_DENIED', approvalId?: string) =>
  new ApiError(
    403,
    errorEnvelope({ requestId: null, traceId: 'a'.repeat(32) }, nothingSent, {
      code,
      message: 'no',
      ...(approvalId === undefined ? {} : { approvalId }),
    }),
  );

it('distinguishes results, questions and tasks', () => {
  expect(toRunOutcome(success({ content: [] }), 1)).toMatchObject({ kind: 'result', data: { content: [] } });
  const question = { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } }, requestState: 's' };
  expect(toRunOutcome(success(question), 1)).toMatchObject({
    kind: 'question',
    question: { inputRequests: { a: { method: 'roots/list' } }, requestState: 's' },
  });
  const task = { resultType: 'task', task: { task_id: 't' } };
  expect(toRunOutcome(success(task), 1)).toMatchObject({ kind: 'task', taskId: 't' });
});

it('distinguishes waiting calls from failed ones', () => {
  expect(toFailedRun(refused('APPROVAL_PENDING', 'appr-1-1'), 1)).toMatchObject({
    kind: 'pending',
    approvalId: 'appr-1-1',
  });
  expect(toFailedRun(refused('POLICY_DENIED'), 1)).toMatchObject({
    kind: 'failure',
    problem: { code: 'POLICY_DENIED', message: 'no' },
  });
  expect(toFailedRun(new UnreachableError('http://x', new Error('gone')), 1)).toMatchObject({
    kind: 'failure',
    envelope: undefined,
    problem: { code: 'NO_ANSWER' },
  });
});
