// Receivers of notices about tickets.
import { noticesListSchema, noticesTestedSchema, noticeTestRequestSchema } from '../notices.js';
import { plain, type Route } from './route.js';

export const noticeRoutes = [
  {
    ...plain,
    access: 'admin',
    operationId: 'listNotices',
    path: '/v1/notices',
    summary: 'Receivers of `approvals.notices`, and how deliveries to them went',
    answer: noticesListSchema,
    failures: [],
  },
  {
    ...plain,
    method: 'post',
    access: 'admin',
    operationId: 'testNotices',
    path: '/v1/notices/test',
    summary: 'Send a test message to one receiver or to all, once, and answer with what each service said',
    body: noticeTestRequestSchema,
    answer: noticesTestedSchema,
    failures: [400, 404, 413, 415],
  },
] as const satisfies readonly Route[];
