import { ApiError, UnreachableError } from '@portico/client';
import { errorEnvelope, nothingSent } from '@portico/contracts';
import { expect, test } from 'vitest';
import { messageFor, toProblem } from './problem.js';

const refused = (code: 'INVALID_ARGS' | 'CIRCUIT_OPEN', message: string) =>
  new ApiError(400, errorEnvelope({ requestId: null, traceId: 'a'.repeat(32) }, nothingSent, { code, message }));

test('what is wrong with a field is found under its path', () => {
  const problem = toProblem(
    refused('INVALID_ARGS', 'name: must be short; server.env.KEY: expected string, got number'),
  );
  expect(messageFor(problem, 'name')).toBe('must be short');
  expect(messageFor(problem, 'server.env')).toBe('KEY: expected string, got number');
  expect(messageFor(problem, 'server')).toBe('env.KEY: expected string, got number');
  expect(messageFor(problem, 'server.url')).toBeUndefined();
});

test('other refusals belong to no field, and say what to do next', () => {
  expect(toProblem(refused('CIRCUIT_OPEN', 'circuit: is open'))).toEqual({
    code: 'CIRCUIT_OPEN',
    message: 'circuit: is open',
    status: 400,
    why: 'a'.repeat(32),
    next: 'Wait until the circuit lets a call through, or restart the server.',
    fields: {},
  });
});

test('a daemon that does not answer is said as such', () => {
  expect(toProblem(new UnreachableError('http://127.0.0.1:1', new TypeError('Failed to fetch')))).toMatchObject({
    code: 'NO_ANSWER',
    message: 'The daemon does not answer.',
  });
});
