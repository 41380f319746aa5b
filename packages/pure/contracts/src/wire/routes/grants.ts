// Grants: approvals that answer later calls as well.
import { grantAnswerSchema, grantListSchema } from '../grants.js';
import { plain, type Route } from './route.js';

export const grantRoutes = [
  {
    ...plain,
    access: 'admin',
    operationId: 'listGrants',
    path: '/v1/grants',
    summary: 'Grants, newest first: those that may answer calls, those that have ended, or all',
    queries: ['state', 'limit', 'offset'],
    answer: grantListSchema,
    failures: [400, 500],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'getGrant',
    path: '/v1/grants/{id}',
    summary: 'One grant',
    answer: grantAnswerSchema,
    failures: [404, 500],
  },
  {
    ...plain,
    method: 'delete',
    takesCorrelation: true,
    access: 'admin',
    operationId: 'revokeGrant',
    path: '/v1/grants/{id}',
    summary:
      'Revoke a grant; calls that it answered and that have not started ask a person. The audit log has who did it',
    answer: grantAnswerSchema,
    failures: [400, 404, 409, 500],
  },
] as const satisfies readonly Route[];
