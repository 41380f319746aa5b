// The error table as clients know it, row by row.
import { describe, expect, it } from 'vitest';
import { errorCodes, errorTable, PorticoError } from './errors.js';

describe('errorTable', () => {
  it('has these codes, statuses and answers to "may I try again"', () => {
    expect(errorCodes.map((code) => [code, errorTable[code].status, errorTable[code].retryable])).toEqual([
      ['TOOL_NOT_FOUND', 404, false],
      ['RESOURCE_NOT_FOUND', 404, false],
      ['PROMPT_NOT_FOUND', 404, false],
      ['INVALID_ARGS', 400, false],
      ['POLICY_DENIED', 403, false],
      ['APPROVAL_PENDING', 202, false],
      ['APPROVAL_TIMEOUT', 408, true],
      ['APPROVAL_REJECTED', 403, false],
      ['CIRCUIT_OPEN', 503, false],
      ['SERVER_UNREACHABLE', 502, true],
      ['UPSTREAM_TIMEOUT', 504, true],
      ['UPSTREAM_ERROR', 502, false],
      ['OPERATION_CANCELLED', 499, false],
      ['INTERNAL_ERROR', 500, true],
    ]);
  });
});

describe('PorticoError', () => {
  it('carries its code, its message and what caused it', () => {
    const cause = new Error('socket closed');
    expect(new PorticoError('SERVER_UNREACHABLE', 'server "s" is gone', { cause })).toMatchObject({
      name: 'PorticoError',
      code: 'SERVER_UNREACHABLE',
      message: 'server "s" is gone',
      cause,
    });
  });
});
