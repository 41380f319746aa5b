// Sessions of the web console where administration needs the operator token.
import { consoleCodeSchema, consoleSessionRequestSchema, consoleSessionSchema } from '../console.js';
import { plain, type Route } from './route.js';

export const consoleRoutes = [
  {
    ...plain,
    access: 'admin',
    method: 'post',
    operationId: 'createConsoleCode',
    path: '/v1/console/codes',
    summary: 'Makes a code that opens the web console once',
    answer: consoleCodeSchema,
    failures: [413, 415],
  },
  {
    ...plain,
    access: 'open',
    method: 'post',
    operationId: 'openConsoleSession',
    path: '/v1/console/sessions',
    summary: 'Exchanges a code for a session of the web console, once',
    body: consoleSessionRequestSchema,
    answer: consoleSessionSchema,
    failures: [400, 413, 415],
  },
] as const satisfies readonly Route[];
