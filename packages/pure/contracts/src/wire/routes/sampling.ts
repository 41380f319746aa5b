// Sampling requests of upstream servers.
import {
  acceptedMessageSchema,
  createdMessageSchema,
  createMessageRequestSchema,
  respondRequestSchema,
  samplingAnswerSchema,
  samplingListSchema,
} from '../sampling.js';
import { execution, plain, type Route } from './route.js';

export const samplingRoutes = [
  {
    ...execution,
    operationId: 'createMessage',
    headers: ['Prefer'],
    path: '/v1/sampling/create_message',
    summary: 'Ask for a message of a model in the name of a server, and wait for the answer',
    body: createMessageRequestSchema,
    answer: createdMessageSchema,
    accepted: acceptedMessageSchema,
    failures: [400, 404, 413, 415, 500],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'listSamplingRequests',
    path: '/v1/sampling/requests',
    summary: 'Sampling tickets, newest first',
    queries: ['status', 'server_id', 'limit', 'offset'],
    answer: samplingListSchema,
    failures: [400],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'getSamplingRequest',
    path: '/v1/sampling/requests/{id}',
    summary: 'One sampling ticket, with its result once that is there',
    answer: samplingAnswerSchema,
    failures: [404],
  },
  {
    ...plain,
    method: 'post',
    access: 'admin',
    operationId: 'respondToSamplingRequest',
    path: '/v1/sampling/requests/{id}/respond',
    summary: 'Answer a pending sampling ticket',
    body: respondRequestSchema,
    answer: samplingAnswerSchema,
    failures: [400, 404, 413, 415, 500],
  },
] as const satisfies readonly Route[];
