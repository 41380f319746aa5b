// The judge itself: what it lets pass and what it does not.
import { expect, it } from 'vitest';
import document from '../../../docs/openapi.json' with { type: 'json' };
import { type Answer, createDocumented } from './documented.js';
import type { OpenApi } from './openapi.js';

const { problemsOf } = createDocumented(document as unknown as OpenApi); // the part of it that is used has that form
const answer = (status: number, body: unknown, rest: Partial<Answer> = {}): Answer => ({
  status,
  contentType: 'application/json',
  allow: undefined,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  ...rest,
});
const failure = (code: string, rest = {}) => ({
  ok: false,
  request_id: null,
  trace_id: '0'.repeat(32),
  retry: { classification: 'safe', upstream_execution_state: 'not_started' },
  data: null,
  error: { code, message: 'no', retryable: false },
  ...rest,
});
const servers = { ok: true, servers: [] };

it.each([
  ['an answer', 'GET', '/v1/servers', answer(200, servers)],
  ['a failure', 'POST', '/v1/tools/call', answer(404, failure('TOOL_NOT_FOUND'))],
  ['no route', 'GET', '/v1/none', answer(404, failure('RESOURCE_NOT_FOUND'))],
  ['another method', 'DELETE', '/v1/servers', answer(405, failure('INVALID_ARGS'), { allow: 'GET, HEAD' })],
  ['headers that are too large', 'POST', '/v1/completion/complete', answer(431, failure('INVALID_ARGS'))],
  ['a HEAD', 'HEAD', '/v1/servers', answer(200, '')],
  ['a stranger', 'GET', '/v1/none', answer(403, failure('POLICY_DENIED'))],
  ['nothing new', 'GET', '/v1/capabilities', answer(304, '')],
  ['an id with slashes', 'GET', '/v1/capabilities/s.a/b', answer(404, failure('TOOL_NOT_FOUND'))],
])('lets %s pass', (_what, method, target, given) => {
  expect(problemsOf(method, target, given)).toEqual([]);
});

it.each([
  ['a status that is not documented', 'GET', '/v1/servers', answer(500, failure('INTERNAL_ERROR'))],
  ['a field that is missing', 'GET', '/v1/servers', answer(200, { ok: true })],
  ['a field that is not documented', 'GET', '/v1/servers', answer(200, { ...servers, more: 1 })],
  ['a failure that is no envelope', 'POST', '/v1/tools/call', answer(400, { error: 'no' })],
  ['a code under the status of another', 'POST', '/v1/tools/call', answer(404, failure('UPSTREAM_ERROR'))],
  ['a defect', 'POST', '/v1/tools/call', answer(500, failure('INTERNAL_ERROR'))],
  ['a trace id that is none', 'POST', '/v1/tools/call', answer(404, failure('TOOL_NOT_FOUND', { trace_id: 'x' }))],
  ['text', 'GET', '/v1/none', answer(404, 'Not Found', { contentType: 'text/plain' })],
  ['a 405 without Allow', 'DELETE', '/v1/servers', answer(405, failure('INVALID_ARGS'))],
  ['a success where nothing is', 'GET', '/v1/none', answer(200, servers)],
  ['a body with a 304', 'GET', '/v1/capabilities', answer(304, '{}')],
])('finds %s', (_what, method, target, given) => {
  expect(problemsOf(method, target, given)).not.toEqual([]);
});
