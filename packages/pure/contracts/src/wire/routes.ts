// Every HTTP route in one table: the router is tested against it and the OpenAPI document is made from it.
import type * as v from 'valibot';
import {
  approvalAnswerSchema,
  approvalsListSchema,
  approvedAnswerSchema,
  approveRequestSchema,
  rejectRequestSchema,
} from './approvals.js';
import { auditAnswerSchema, auditListSchema, auditStatsSchema, auditVerifySchema } from './audit.js';
import {
  capabilitiesListSchema,
  capabilityDescribeSchema,
  promptsListSchema,
  resourcesListSchema,
  searchRequestSchema,
  searchResponseSchema,
} from './catalog.js';
import {
  aliasUpdatedSchema,
  catalogEventsSchema,
  configAnswerSchema,
  policyInForceSchema,
  policyRequestSchema,
  profileDeletedSchema,
  profileRequestSchema,
  profileUpdatedSchema,
  reloadedSchema,
  serverDeletedSchema,
  serverRestartedSchema,
  serverUpsertedSchema,
  updateAliasRequestSchema,
  upsertServerRequestSchema,
} from './configuration.js';
import { successEnvelopeSchema } from './envelope.js';
import {
  batchCallRequestSchema,
  batchCallResponseSchema,
  callCapabilityRequestSchema,
  completionRequestSchema,
  completionResponseSchema,
  getPromptRequestSchema,
  readResourceRequestSchema,
} from './execution.js';
import { cancelAnswerSchema, idempotencyAnswerSchema, idempotencyListSchema } from './idempotency.js';
import {
  acceptedMessageSchema,
  createdMessageSchema,
  createMessageRequestSchema,
  respondRequestSchema,
  samplingAnswerSchema,
  samplingListSchema,
} from './sampling.js';
import { healthSchema, readinessSchema, serverLogsResponseSchema, serversResponseSchema } from './servers.js';
import { taskAnswerSchema, taskRespondRequestSchema, tasksListSchema } from './tasks.js';

export interface Route {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'delete';
  /** OpenAPI form, `{name}` for path parameters. */
  readonly path: string;
  readonly summary: string;
  readonly body?: v.GenericSchema;
  /** Whether `?profile=` and `X-Service-Profile` narrow it. */
  readonly takesProfile: boolean;
  /** Whether the correlation headers belong to it. */
  readonly takesCorrelation: boolean;
  /** Whether it answers with an ETag and honours If-None-Match. */
  readonly conditional: boolean;
  /** Names of query parameters, besides `profile`. */
  readonly queries?: readonly string[];
  /** Names of request headers, besides those that the fields above bring. */
  readonly headers?: readonly string[];
  /** Body of the 200 answer; absent where it is a free-form document, a text, or a stream of events. */
  readonly answer?: v.GenericSchema;
  /** Where the answer is no JSON. */
  readonly mediaTypes?: readonly string[];
  /** Whether it answers 202: with an ErrorEnvelope while a person has to decide, or with a task. */
  readonly mayWait?: boolean;
  /** Body of the 202 answer to what is accepted for later. */
  readonly accepted?: v.GenericSchema;
  /** Statuses that carry an ErrorEnvelope. */
  readonly failures: readonly number[];
}

const executionFailures = [400, 404, 408, 413, 415, 499, 500, 502, 503, 504] as const;
const onceHeaders = ['Idempotency-Key', 'Prefer'] as const;
const catalogRoute = {
  method: 'get',
  takesProfile: true,
  takesCorrelation: false,
  conditional: true,
  failures: [404],
} as const;
const execution = {
  method: 'post',
  takesProfile: true,
  takesCorrelation: true,
  conditional: false,
  failures: executionFailures,
} as const;
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
] as const;
const plain = { method: 'get', takesProfile: false, takesCorrelation: false, conditional: false } as const;

export const routes: readonly Route[] = [
  {
    ...catalogRoute,
    operationId: 'listCapabilities',
    path: '/v1/capabilities',
    summary: 'Compact list of capabilities',
    answer: capabilitiesListSchema,
  },
  {
    ...execution,
    takesCorrelation: false,
    operationId: 'searchCapabilities',
    path: '/v1/capabilities/search',
    summary: 'Search capabilities by words, servers, tags and modes',
    body: searchRequestSchema,
    answer: searchResponseSchema,
    failures: [400, 404, 413, 415],
  },
  {
    ...catalogRoute,
    operationId: 'describeCapability',
    path: '/v1/capabilities/{id}',
    summary: 'Description and schema of one capability',
    answer: capabilityDescribeSchema,
  },
  {
    ...catalogRoute,
    operationId: 'listResources',
    path: '/v1/resources',
    summary: 'Compact list of resources and resource templates',
    answer: resourcesListSchema,
  },
  {
    ...catalogRoute,
    operationId: 'listPrompts',
    path: '/v1/prompts',
    summary: 'Compact list of prompts',
    answer: promptsListSchema,
  },
  {
    ...execution,
    operationId: 'callTool',
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
    headers: onceHeaders,
    path: '/v1/resources/read',
    summary: 'Read a resource',
    body: readResourceRequestSchema,
    answer: successEnvelopeSchema,
  },
  {
    ...execution,
    operationId: 'getPrompt',
    headers: onceHeaders,
    path: '/v1/prompts/get',
    summary: 'Get a prompt',
    body: getPromptRequestSchema,
    answer: successEnvelopeSchema,
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
    operationId: 'cancelOperation',
    path: '/v1/operations/{id}/cancel',
    summary: 'End what is in flight under a request id',
    answer: cancelAnswerSchema,
    failures: [400],
  },
  {
    ...plain,
    operationId: 'listIdempotencyRecords',
    path: '/v1/idempotency/records',
    summary: 'Outcomes kept under their idempotency keys, newest first',
    queries: ['limit', 'offset'],
    answer: idempotencyListSchema,
    failures: [400],
  },
  {
    ...plain,
    operationId: 'getIdempotencyRecord',
    path: '/v1/idempotency/records/{key}',
    summary: 'The outcome kept under one key',
    answer: idempotencyAnswerSchema,
    failures: [404],
  },
  {
    ...plain,
    operationId: 'listApprovals',
    path: '/v1/approvals',
    summary: 'Approval tickets, newest first',
    queries: ['status', 'limit', 'offset'],
    answer: approvalsListSchema,
    failures: [400],
  },
  {
    ...plain,
    operationId: 'getApproval',
    path: '/v1/approvals/{id}',
    summary: 'One approval ticket, with the result of its call once that is there',
    answer: approvalAnswerSchema,
    failures: [404],
  },
  {
    ...plain,
    method: 'post',
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
    operationId: 'reject',
    path: '/v1/approvals/{id}/reject',
    summary: 'Reject a ticket',
    body: rejectRequestSchema,
    answer: approvalAnswerSchema,
    failures: [400, 404, 409, 413, 415],
  },
  {
    ...execution,
    operationId: 'createMessage',
    headers: ['Prefer'],
    path: '/v1/sampling/create_message',
    summary: 'Ask for a message of a model in the name of a server, and wait for whoever answers',
    body: createMessageRequestSchema,
    answer: createdMessageSchema,
    accepted: acceptedMessageSchema,
    failures: [400, 404, 413, 415, 500],
  },
  {
    ...plain,
    operationId: 'listSamplingRequests',
    path: '/v1/sampling/requests',
    summary: 'Sampling tickets, newest first',
    queries: ['status', 'server_id', 'limit', 'offset'],
    answer: samplingListSchema,
    failures: [400],
  },
  {
    ...plain,
    operationId: 'getSamplingRequest',
    path: '/v1/sampling/requests/{id}',
    summary: 'One sampling ticket, with its result once that is there',
    answer: samplingAnswerSchema,
    failures: [404],
  },
  {
    ...plain,
    method: 'post',
    operationId: 'respondToSamplingRequest',
    path: '/v1/sampling/requests/{id}/respond',
    summary: 'Answer a pending sampling ticket',
    body: respondRequestSchema,
    answer: samplingAnswerSchema,
    failures: [400, 404, 413, 415, 500],
  },
  {
    ...plain,
    operationId: 'listTasks',
    path: '/v1/tasks',
    summary: 'Tasks of the caller, newest first',
    queries: ['status', 'limit', 'offset'],
    answer: tasksListSchema,
    failures: [400],
  },
  {
    ...plain,
    operationId: 'getTask',
    path: '/v1/tasks/{id}',
    summary: 'One task, with the result of its call once that is there',
    answer: taskAnswerSchema,
    failures: [404],
  },
  {
    ...plain,
    method: 'post',
    operationId: 'respondToTask',
    path: '/v1/tasks/{id}/respond',
    summary: 'Answer what a task asks',
    body: taskRespondRequestSchema,
    answer: taskAnswerSchema,
    failures: [400, 404, 409, 413, 415],
  },
  {
    ...plain,
    method: 'post',
    operationId: 'cancelTask',
    path: '/v1/tasks/{id}/cancel',
    summary: 'Cancel a task',
    answer: taskAnswerSchema,
    failures: [404, 409],
  },
  {
    ...plain,
    operationId: 'listAuditEvents',
    path: '/v1/audit/events',
    summary: 'Audit records, newest first',
    queries: [...auditFilters, 'limit', 'offset'],
    answer: auditListSchema,
    failures: [400],
  },
  {
    ...plain,
    operationId: 'getAuditEvent',
    path: '/v1/audit/events/{id}',
    summary: 'One audit record',
    answer: auditAnswerSchema,
    failures: [404],
  },
  {
    ...plain,
    operationId: 'verifyAudit',
    path: '/v1/audit/verify',
    summary: 'Reads the whole audit log and checks its hash chain',
    answer: auditVerifySchema,
    failures: [],
  },
  {
    ...plain,
    operationId: 'getAuditStats',
    path: '/v1/audit/stats',
    summary: 'Counts over all audit records',
    answer: auditStatsSchema,
    failures: [],
  },
  {
    ...plain,
    operationId: 'exportAudit',
    path: '/v1/audit/export',
    summary: 'Audit records as a file, oldest first: `format` is jsonl (as the log has them) or csv',
    queries: ['format', ...auditFilters],
    mediaTypes: ['application/x-ndjson', 'text/csv'],
    failures: [400],
  },
  {
    ...plain,
    operationId: 'listCatalogEvents',
    path: '/v1/catalog/events',
    summary: 'What was added to the catalog, removed and updated, oldest first',
    queries: ['after'],
    answer: catalogEventsSchema,
    failures: [],
  },
  {
    ...plain,
    operationId: 'streamUpdates',
    path: '/v1/resources/updates',
    summary: 'Changes of the catalog and of resources, as they happen',
    headers: ['Last-Event-ID'],
    mediaTypes: ['text/event-stream'],
    failures: [],
  },
  {
    ...plain,
    operationId: 'listServers',
    path: '/v1/servers',
    summary: 'Upstream servers and how they are doing',
    answer: serversResponseSchema,
    failures: [],
  },
  {
    ...plain,
    operationId: 'getServerLogs',
    path: '/v1/servers/{id}/logs',
    summary: 'The last 500 log lines of one server',
    answer: serverLogsResponseSchema,
    failures: [404],
  },
  {
    ...plain,
    operationId: 'getConfig',
    path: '/v1/config',
    summary: 'The configuration in force, with secrets masked, and how the service is doing',
    answer: configAnswerSchema,
    failures: [],
  },
  {
    ...plain,
    method: 'post',
    operationId: 'upsertServer',
    path: '/v1/config/servers',
    summary: 'Add a server, or replace one',
    body: upsertServerRequestSchema,
    answer: serverUpsertedSchema,
    failures: [400, 413, 415, 500],
  },
  {
    ...plain,
    method: 'delete',
    operationId: 'deleteServer',
    path: '/v1/config/servers/{id}',
    summary: 'Remove a server',
    answer: serverDeletedSchema,
    failures: [400, 404, 500],
  },
  {
    ...plain,
    method: 'post',
    operationId: 'restartServer',
    path: '/v1/config/servers/{id}/restart',
    summary: 'End the session of a server, and its process, and start anew',
    answer: serverRestartedSchema,
    failures: [404, 500],
  },
  {
    ...plain,
    method: 'post',
    operationId: 'updateAlias',
    path: '/v1/config/alias',
    summary: 'Add, replace or remove an alias',
    body: updateAliasRequestSchema,
    answer: aliasUpdatedSchema,
    failures: [400, 404, 413, 415, 500],
  },
  {
    ...plain,
    method: 'post',
    operationId: 'mergePolicy',
    path: '/v1/config/policy',
    summary: 'Change parts of the policy',
    body: policyRequestSchema,
    answer: policyInForceSchema,
    failures: [400, 413, 415, 500],
  },
  {
    ...plain,
    method: 'post',
    operationId: 'putProfile',
    path: '/v1/config/profiles',
    summary: 'Add a profile, or replace one',
    body: profileRequestSchema,
    answer: profileUpdatedSchema,
    failures: [400, 413, 415, 500],
  },
  {
    ...plain,
    method: 'delete',
    operationId: 'deleteProfile',
    path: '/v1/config/profiles/{id}',
    summary: 'Remove a profile',
    answer: profileDeletedSchema,
    failures: [400, 404, 500],
  },
  {
    ...plain,
    method: 'post',
    operationId: 'reloadConfig',
    path: '/v1/config/reload',
    summary: 'Read the configuration file again',
    answer: reloadedSchema,
    failures: [400, 500],
  },
  {
    ...plain,
    operationId: 'getHealth',
    path: '/healthz',
    summary: 'The process is up',
    answer: healthSchema,
    failures: [],
  },
  {
    ...plain,
    operationId: 'getReadiness',
    path: '/readyz',
    summary: 'State is open; status by server',
    answer: readinessSchema,
    failures: [],
  },
  {
    ...plain,
    operationId: 'getMetrics',
    path: '/metrics',
    summary: 'Metrics of the service in the Prometheus text format',
    mediaTypes: ['text/plain'],
    failures: [],
  },
  { ...plain, operationId: 'getOpenApi', path: '/v1/openapi.json', summary: 'This document', failures: [] },
];
