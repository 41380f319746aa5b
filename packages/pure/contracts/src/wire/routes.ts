// Every HTTP route in one table: the router is tested against it and the OpenAPI document is made from it.

import { activityRoutes } from './routes/activity.js';
import { approvalRoutes } from './routes/approvals.js';
import { auditRoutes } from './routes/audit.js';
import { budgetRoutes } from './routes/budgets.js';
import { catalogRoutes } from './routes/catalog.js';
import { clientRoutes } from './routes/clients.js';
import { configurationRoutes } from './routes/configuration.js';
import { consoleRoutes } from './routes/console.js';
import { executionRoutes } from './routes/execution.js';
import { grantRoutes } from './routes/grants.js';
import { inspectRoutes } from './routes/inspect.js';
import { lockRoutes } from './routes/lock.js';
import { noticeRoutes } from './routes/notices.js';
import type { Route } from './routes/route.js';
import { samplingRoutes } from './routes/sampling.js';
import { serverRoutes } from './routes/servers.js';
import { serviceRoutes } from './routes/service.js';
import { taskRoutes } from './routes/tasks.js';
import { traceRoutes } from './routes/traces.js';
import { updateRoutes } from './routes/updates.js';

export type { Route, RouteAccess } from './routes/route.js';

/** Every route of the HTTP API: method, path, access, schemas. The server, the client and OpenAPI read this table. */
export const routes: readonly Route[] = [
  ...catalogRoutes,
  ...executionRoutes,
  ...approvalRoutes,
  ...noticeRoutes,
  ...budgetRoutes,
  ...grantRoutes,
  ...samplingRoutes,
  ...taskRoutes,
  ...auditRoutes,
  ...activityRoutes,
  ...inspectRoutes,
  ...lockRoutes,
  ...traceRoutes,
  ...updateRoutes,
  ...clientRoutes,
  ...serverRoutes,
  ...configurationRoutes,
  ...consoleRoutes,
  ...serviceRoutes,
];

type TypedRoute = (
  | typeof catalogRoutes
  | typeof executionRoutes
  | typeof approvalRoutes
  | typeof budgetRoutes
  | typeof grantRoutes
  | typeof noticeRoutes
  | typeof samplingRoutes
  | typeof taskRoutes
  | typeof auditRoutes
  | typeof activityRoutes
  | typeof inspectRoutes
  | typeof lockRoutes
  | typeof traceRoutes
  | typeof updateRoutes
  | typeof clientRoutes
  | typeof serverRoutes
  | typeof configurationRoutes
  | typeof consoleRoutes
  | typeof serviceRoutes
)[number];

/** The routes by operation id, with the types of their schemas: what a client sends and gets follows from it. */
export type RouteTable = { readonly [Each in TypedRoute as Each['operationId']]: Each };
