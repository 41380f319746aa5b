// The current definitions of servers, compared with the accepted ones.
import {
  lockAcceptedSchema,
  lockAcceptRequestSchema,
  lockDriftSchema,
  lockStateSchema,
  lockVerifyRequestSchema,
} from '../lock.js';
import { plain, type Route } from './route.js';

export const lockRoutes = [
  {
    ...plain,
    access: 'admin',
    operationId: 'getLock',
    path: '/v1/lock',
    summary: 'The lock of definitions: its mode, its file, and how many definitions of each server differ',
    answer: lockStateSchema,
    failures: [],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'getLockDrift',
    path: '/v1/lock/drift',
    summary:
      'Differences between the lock and what servers list, with both texts, a page at a time, and findings in definitions',
    queries: ['server', 'limit', 'offset'],
    answer: lockDriftSchema,
    failures: [400, 404],
  },
  {
    ...plain,
    method: 'post',
    takesCorrelation: true,
    access: 'admin',
    operationId: 'acceptDrift',
    path: '/v1/lock/accept',
    summary: 'Accept differences that were reviewed: the lock file has them then; 409 where one is another by now',
    body: lockAcceptRequestSchema,
    answer: lockAcceptedSchema,
    failures: [400, 404, 409, 413, 415, 500],
  },
  {
    ...plain,
    method: 'post',
    access: 'admin',
    operationId: 'verifyLock',
    path: '/v1/lock/verify',
    summary: 'Compare the text of a lock file with what servers list; nothing is changed',
    body: lockVerifyRequestSchema,
    answer: lockDriftSchema,
    failures: [400, 413, 415],
  },
] as const satisfies readonly Route[];
