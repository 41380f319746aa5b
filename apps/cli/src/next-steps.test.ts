// The next steps after an error of the service, for every code.
import { ApiError } from '@portico/client';
import { type ErrorCode, type ErrorDetail, errorCodes, errorEnvelope, errorTable } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { nextSteps } from './next-steps.js';

const correlation = { requestId: null, traceId: '0'.repeat(32), context: undefined };
const retry = { classification: 'safe', upstream_execution_state: 'not_started' } as const;

function stepsOf(code: ErrorCode, more: Partial<ErrorDetail> = {}, status = errorTable[code].status) {
  const envelope = errorEnvelope(correlation as never, retry, { code, message: 'm', approvalId: 'appr-1-1', ...more });
  return nextSteps(new ApiError(status, envelope));
}

/** Their messages name the next step, or the call is over. */
const withoutSteps: readonly ErrorCode[] = [
  'RESOURCE_NOT_FOUND',
  'INVALID_ARGS',
  'APPROVAL_TIMEOUT',
  'APPROVAL_REJECTED',
  'UPSTREAM_ERROR',
  'OPERATION_CANCELLED',
];

describe('the next steps after an error', () => {
  it.each(errorCodes)('name a command for %s, unless its message does', (code) => {
    expect(stepsOf(code).some((step) => step.includes('portico '))).toBe(!withoutSteps.includes(code));
  });

  it.each(errorCodes)('begin with the hint of the service for %s', (code) => {
    expect(stepsOf(code, { hint: 'ask again later' })[0]).toBe('ask again later');
  });

  it('ask for a token where the service requires one', () => {
    expect(stepsOf('POLICY_DENIED', {}, 401)).toEqual(['give a valid token with --token or in PORTICO_TOKEN']);
  });
});
