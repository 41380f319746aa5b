// How upstream servers are doing.
import { serverLogsResponseSchema, serversResponseSchema } from '../servers.js';
import { plain, type Route } from './route.js';

export const serverRoutes = [
  {
    ...plain,
    access: 'role',
    operationId: 'listServers',
    path: '/v1/servers',
    summary: 'Upstream servers with their status',
    answer: serversResponseSchema,
    failures: [],
  },
  {
    ...plain,
    access: 'admin',
    operationId: 'getServerLogs',
    path: '/v1/servers/{id}/logs',
    summary: 'The last 500 log lines of one server',
    answer: serverLogsResponseSchema,
    failures: [404],
  },
] as const satisfies readonly Route[];
