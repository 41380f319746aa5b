// Every HTTP route in one table: the router is tested against it and the OpenAPI document is made from it.
import type * as v from 'valibot';
import {
  capabilitiesListSchema,
  capabilityDescribeSchema,
  promptsListSchema,
  resourcesListSchema,
  searchRequestSchema,
  searchResponseSchema,
} from './catalog.js';
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
import { healthSchema, readinessSchema, serverLogsResponseSchema, serversResponseSchema } from './servers.js';

export interface Route {
  readonly operationId: string;
  readonly method: 'get' | 'post';
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
  /** Body of the 200 answer; absent where it is a free-form document. */
  readonly answer?: v.GenericSchema;
  /** Statuses that carry an ErrorEnvelope. */
  readonly failures: readonly number[];
}

const executionFailures = [400, 404, 413, 415, 499, 500, 502, 503, 504] as const;
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
    path: '/v1/tools/call',
    summary: 'Call a capability',
    body: callCapabilityRequestSchema,
    answer: successEnvelopeSchema,
  },
  {
    ...execution,
    operationId: 'callBatch',
    path: '/v1/tools/batch_call',
    summary: 'Call capabilities one after the other, feeding later ones from earlier ones',
    body: batchCallRequestSchema,
    answer: batchCallResponseSchema,
    failures: [400, 404, 413, 415],
  },
  {
    ...execution,
    operationId: 'readResource',
    path: '/v1/resources/read',
    summary: 'Read a resource',
    body: readResourceRequestSchema,
    answer: successEnvelopeSchema,
  },
  {
    ...execution,
    operationId: 'getPrompt',
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
  { ...plain, operationId: 'getOpenApi', path: '/v1/openapi.json', summary: 'This document', failures: [] },
];
