// Lists of what can be used, and what is found in them.
import {
  capabilitiesListSchema,
  capabilityDescribeSchema,
  promptsListSchema,
  resourcesListSchema,
  searchRequestSchema,
  searchResponseSchema,
} from '../catalog.js';
import { execution, type Route } from './route.js';

const catalogRoute = {
  access: 'role',
  method: 'get',
  takesProfile: true,
  takesCorrelation: false,
  conditional: true,
  failures: [404],
} as const;

export const catalogRoutes = [
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
] as const satisfies readonly Route[];
