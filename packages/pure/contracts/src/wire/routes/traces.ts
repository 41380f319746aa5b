// Explains a call by its trace.
import { explainAnswerSchema, tracesListSchema } from '../traces.js';
import { plain, type Route } from './route.js';

export const traceRoutes = [
  {
    ...plain,
    access: 'role',
    operationId: 'listTraces',
    path: '/v1/traces',
    summary: 'Traces of the audit log, the latest first; who is no admin sees their own',
    queries: ['limit', 'since', 'client', 'status'],
    answer: tracesListSchema,
    failures: [400],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'explainTrace',
    path: '/v1/traces/{id}/explain',
    summary:
      'Why a call ended as it did, from its audit records: by the id of a trace, an approval, an audit record or a request; callers who are no admins find their own',
    answer: explainAnswerSchema,
    failures: [404],
  },
] as const satisfies readonly Route[];
