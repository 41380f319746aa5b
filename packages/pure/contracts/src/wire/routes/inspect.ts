// The messages between Portico and its servers.
import { framesListSchema, traceFramesSchema } from '../inspect.js';
import { plain, type Route } from './route.js';

const filters = ['server', 'method', 'direction', 'trace_id'];

export const inspectRoutes = [
  {
    ...plain,
    access: 'admin',
    operationId: 'listFrames',
    path: '/v1/inspect',
    summary: 'JSON-RPC messages between Portico and its servers, newest first; needs `inspect.enabled`',
    queries: ['limit', 'since', ...filters],
    answer: framesListSchema,
    failures: [400, 404],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'streamFrames',
    path: '/v1/inspect/stream',
    summary: 'Messages as they pass: events `frame`, and `dropped` with the number of those that were left out',
    queries: filters,
    headers: ['Last-Event-ID'],
    mediaTypes: ['text/event-stream'],
    failures: [400, 404],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'listTraceFrames',
    path: '/v1/traces/{id}/frames',
    summary: 'Messages of one trace, oldest first; who is no admin sees those of their own calls',
    answer: traceFramesSchema,
    failures: [404],
  },
] as const satisfies readonly Route[];
