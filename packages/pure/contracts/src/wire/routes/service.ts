// The service itself: its health, its documents, its console.
import { accessAnswerSchema, healthSchema, readinessSchema } from '../servers.js';
import { plain, type Route } from './route.js';

const consoleRoute = {
  access: 'open',
  method: 'get',
  takesProfile: false,
  takesCorrelation: false,
  conditional: true,
  mediaTypes: ['text/html'],
  failures: [404],
} as const;

export const serviceRoutes = [
  {
    ...plain,
    access: 'open',
    operationId: 'getHealth',
    path: '/healthz',
    summary: 'The process is up',
    answer: healthSchema,
    failures: [],
  },
  {
    ...plain,
    access: 'open',
    hasCallerDetails: true,
    operationId: 'getReadiness',
    path: '/readyz',
    summary: 'State is open; status by server for callers with a role',
    answer: readinessSchema,
    failures: [503],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'getAccess',
    path: '/v1/access',
    summary: 'As whom this caller is let in, and whether it may administrate',
    answer: accessAnswerSchema,
    failures: [],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'getMetrics',
    path: '/metrics',
    summary: 'Metrics of the service in the Prometheus text format',
    mediaTypes: ['text/plain'],
    failures: [],
  },
  {
    ...plain,
    access: 'role',
    operationId: 'getOpenApi',
    path: '/v1/openapi.json',
    summary: 'This document',
    failures: [],
  },
  { ...consoleRoute, operationId: 'openConsole', path: '/', summary: 'The web console' },
  { ...consoleRoute, operationId: 'openConsoleHome', path: '/ui', summary: 'The web console' },
  {
    ...consoleRoute,
    operationId: 'openConsoleFile',
    path: '/ui/{path}',
    summary: 'A file of the web console, or the console at one of its pages',
  },
] as const satisfies readonly Route[];
