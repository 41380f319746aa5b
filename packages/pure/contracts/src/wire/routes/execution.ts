// Calls, reads and prompts, and what is kept of them under their keys.
import { successEnvelopeSchema } from '../envelope.js';
import {
  batchCallRequestSchema,
  batchCallResponseSchema,
  callCapabilityRequestSchema,
  completionRequestSchema,
  completionResponseSchema,
  getPromptRequestSchema,
  readResourceRequestSchema,
} from '../execution.js';
import { cancelAnswerSchema, idempotencyAnswerSchema, idempotencyListSchema } from '../idempotency.js';
import { execution, plain, type Route } from './route.js';

const onceHeaders = ['Idempotency-Key', 'Prefer'] as const;

export const executionRoutes = [
  {
    ...execution,
    operationId: 'callTool',
    retryAfter: true,
    headers: onceHeaders,
    mayWait: true,
    path: '/v1/tools/call',
    summary: 'Call a capability',
    body: callCapabilityRequestSchema,
    answer: successEnvelopeSchema,
  },
  {
    ...execution,
    operationId: 'callBatch',
    headers: ['Idempotency-Key'],
    path: '/v1/tools/batch_call',
    summary: 'Call capabilities one after the other, feeding later ones from earlier ones',
    body: batchCallRequestSchema,
    answer: batchCallResponseSchema,
    failures: [400, 404, 413, 415],
  },
  {
    ...execution,
    operationId: 'readResource',
    retryAfter: true,
    headers: onceHeaders,
    path: '/v1/resources/read',
    summary: 'Read a resource',
    body: readResourceRequestSchema,
    answer: successEnvelopeSchema,
    accepted: successEnvelopeSchema,
  },
  {
    ...execution,
    operationId: 'getPrompt',
    retryAfter: true,
    headers: onceHeaders,
    path: '/v1/prompts/get',
    summary: 'Get a prompt',
    body: getPromptRequestSchema,
    answer: successEnvelopeSchema,
    accepted: successEnvelopeSchema,
  },
  {
    ...execution,
    operationId: 'complete',
    path: '/v1/completion/complete',
    summary: 'Complete an argument of a prompt or resource template',
    body: completionRequestSchema,
    answer: completionResponseSchema,
  },
  {
    ...plain,
    method: 'post',
    access: 'role',
    operationId: 'cancelOperation',
    path: '/v1/operations/{id}/cancel',
    summary: 'Cancel the call with a request id',
    answer: cancelAnswerSchema,
    failures: [400, 413, 415],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'listIdempotencyRecords',
    path: '/v1/idempotency/records',
    summary: 'Outcomes kept under their idempotency keys, newest first',
    queries: ['limit', 'offset'],
    answer: idempotencyListSchema,
    failures: [400],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'getIdempotencyRecord',
    path: '/v1/idempotency/records/{key}',
    summary: 'The outcome kept under one key',
    answer: idempotencyAnswerSchema,
    failures: [404],
  },
] as const satisfies readonly Route[];
