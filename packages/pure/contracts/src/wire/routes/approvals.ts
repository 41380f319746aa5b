// Calls that wait for the decision of a person.
import {
  approvalAnswerSchema,
  approvalsListSchema,
  approvedAnswerSchema,
  approveRequestSchema,
  rejectRequestSchema,
} from '../approvals.js';
import { plain, type Route } from './route.js';

export const approvalRoutes = [
  {
    ...plain,
    access: 'role',
    operationId: 'listApprovals',
    path: '/v1/approvals',
    summary: 'Approval tickets, newest first',
    queries: ['status', 'limit', 'offset'],
    answer: approvalsListSchema,
    failures: [400],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'getApproval',
    path: '/v1/approvals/{id}',
    summary: 'One approval ticket, with the result of its call once that is there',
    answer: approvalAnswerSchema,
    failures: [404],
  },
  {
    ...plain,
    method: 'post',
    takesCorrelation: true,
    access: 'admin',
    operationId: 'approve',
    path: '/v1/approvals/{id}/approve',
    summary: 'Approve a ticket and run its call',
    body: approveRequestSchema,
    answer: approvedAnswerSchema,
    failures: [400, 404, 409, 413, 415],
  },
  {
    ...plain,
    method: 'post',
    access: 'admin',
    operationId: 'reject',
    path: '/v1/approvals/{id}/reject',
    summary: 'Reject a ticket',
    body: rejectRequestSchema,
    answer: approvalAnswerSchema,
    failures: [400, 404, 409, 413, 415],
  },
] as const satisfies readonly Route[];
