// The log of what was done, and its proof.
import {
  auditAnswerSchema,
  auditListSchema,
  auditSeriesSchema,
  auditStatsSchema,
  auditUsageSchema,
  auditVerifySchema,
} from '../audit.js';
import { plain, type Route } from './route.js';

const auditFilters = [
  'actor_id',
  'capability_id',
  'event_type',
  'status',
  'server_id',
  'trace_id',
  'start_time',
  'end_time',
  'q',
  'client',
  'channel',
  'shadow',
  'rule',
] as const;

export const auditRoutes = [
  {
    ...plain,
    access: 'admin',
    operationId: 'listAuditEvents',
    path: '/v1/audit/events',
    summary: 'Audit records, newest first',
    queries: [...auditFilters, 'limit', 'offset'],
    answer: auditListSchema,
    failures: [400],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'getAuditEvent',
    path: '/v1/audit/events/{id}',
    summary: 'One audit record',
    answer: auditAnswerSchema,
    failures: [404],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'verifyAudit',
    path: '/v1/audit/verify',
    summary: 'Reads the whole audit log and checks its hash chain',
    answer: auditVerifySchema,
    failures: [],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'getAuditStats',
    path: '/v1/audit/stats',
    summary: 'Counts over all audit records',
    answer: auditStatsSchema,
    failures: [],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'getAuditSeries',
    path: '/v1/audit/series',
    summary:
      'Audit records counted by outcome over time, in at most `buckets` intervals (60 by default, 200 at most), from the oldest record until now unless `start_time` and `end_time` say otherwise',
    queries: [...auditFilters, 'buckets'],
    answer: auditSeriesSchema,
    failures: [400],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'getAuditUsage',
    path: '/v1/audit/usage',
    summary: 'Calls, failures and refusals of the audit log, counted `by` capability (the default) or actor',
    queries: [...auditFilters, 'by'],
    answer: auditUsageSchema,
    failures: [400],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'exportAudit',
    path: '/v1/audit/export',
    summary:
      'Audit records as a file, oldest first: `format` is jsonl (as the log has them), csv, or checkpoints (the signatures of the log, without filters)',
    queries: ['format', ...auditFilters],
    mediaTypes: ['application/x-ndjson', 'text/csv'],
    failures: [400],
  },
] as const satisfies readonly Route[];
