// The /v1 facade as a Hono app. It translates HTTP into calls of the control plane and never listens by itself.
import type { Tracer } from '@opentelemetry/api';
import { PorticoError, unknownOutcome } from '@portico/contracts';
import { CallFailure, type ControlPlane, type Log, traceFields } from '@portico/control-plane';
import { type Context, Hono } from 'hono';
import type { AccessRules } from './access.js';
import { type Refusal, sendRefusal } from './answer.js';
import { addApprovalRoutes, Conflict } from './approval-routes.js';
import { addAuditRoutes } from './audit-routes.js';
import { addCatalogRoutes } from './catalog-routes.js';
import { addClientRoutes } from './client-routes.js';
import { addConfigRoutes } from './config-routes.js';
import { addConsoleRoutes, type WebConsole } from './console-routes.js';
import { headerCorrelation } from './correlation.js';
import { addExecutionRoutes } from './execution-routes.js';
import { bodyTooLarge, guard, limitStreamedBody } from './guard.js';
import { addIdempotencyRoutes } from './idempotency-routes.js';
import { routesAt } from './route-table.js';
import { addSamplingRoutes } from './sampling-routes.js';
import { addServiceRoutes, type MetricsText, Unready } from './service-routes.js';
import { addTaskRoutes } from './task-routes.js';
import { traceRequests } from './trace-requests.js';
import { addUpdateRoutes } from './update-routes.js';

export interface RestApiDeps {
  readonly plane: ControlPlane;
  readonly access: AccessRules;
  /** Product version, shown in the OpenAPI document. */
  readonly version: string;
  /** Fresh random lower-case hex. */
  readonly randomHex: (characters: number) => string;
  readonly log: Log;
  /** Rejects when the durable state cannot be used. */
  readonly checkState: () => Promise<void>;
  readonly metrics: () => Promise<MetricsText>;
  /** Makes the spans of requests; by default there are none. The plane's calls join them with a tracer of the plane's. */
  readonly tracer?: Tracer | undefined;
  /** Serves the browser's side at `/` and `/ui`; by default there is none. */
  readonly webConsole?: WebConsole | undefined;
}

/** Every answer is JSON, what was asked for or an ErrorEnvelope; only metrics and the console's files are not. */
export function createRestApi(deps: RestApiDeps): Hono {
  const { plane, access, version, randomHex, log, checkState, metrics, tracer, webConsole } = deps;
  const app = new Hono();
  const refuse = (c: Context, refusal: Refusal) => sendRefusal(headerCorrelation(c, randomHex), refusal);

  if (tracer !== undefined) app.use(traceRequests(tracer));
  const isAdmin = (role: string | null) => plane.state().policy.isAdmin(role);
  app.use(guard({ rules: access, randomHex, isAdmin, onAccessRefused: (request) => plane.accessRefused(request) }));
  app.use(limitStreamedBody((c) => refuse(c, bodyTooLarge)));
  addCatalogRoutes(app, plane);
  addExecutionRoutes(app, { plane, randomHex });
  addApprovalRoutes(app, plane);
  addTaskRoutes(app, plane);
  addSamplingRoutes(app, { plane, randomHex });
  addIdempotencyRoutes(app, plane);
  addAuditRoutes(app, plane);
  addClientRoutes(app, { plane, randomHex });
  addUpdateRoutes(app, plane, access.authenticate);
  addConfigRoutes(app, { plane, randomHex });
  addServiceRoutes(app, { plane, version, checkState, metrics });
  addConsoleRoutes(app, webConsole, (c) => refuse(c, noRoute(c.req.method, c.req.path)));

  app.notFound((c) => refuse(c, refuseRoute(c.req.method, c.req.path)));
  app.onError((error, c) => {
    if (error instanceof Conflict) return refuse(c, { code: error.code, status: 409, message: error.message });
    if (error instanceof Unready) return refuse(c, { code: error.code, status: 503, message: error.message });
    if (error instanceof CallFailure) return refuse(c, error);
    if (error instanceof PorticoError) return refuse(c, { code: error.code, message: error.message });
    const correlation = headerCorrelation(c, randomHex);
    log('error', 'a request failed from a defect', { ...traceFields(correlation), error });
    const message = `internal error; the log has the details under trace ${correlation.traceId}`;
    return sendRefusal(correlation, { code: 'INTERNAL_ERROR', message, retry: unknownOutcome });
  });
  return app;
}

/** 405 where the path exists for other methods, 404 elsewhere. */
function refuseRoute(method: string, path: string): Refusal {
  const allowed = routesAt(path).map((route) => route.method.toUpperCase());
  if (allowed.length === 0) return noRoute(method, path);
  const allow = [...new Set(allowed.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])))].join(', ');
  return {
    code: 'INVALID_ARGS',
    status: 405,
    message: `${method} is not a method of ${path}; use ${allow}`,
    headers: { Allow: allow },
  };
}

function noRoute(method: string, path: string): Refusal {
  return { code: 'RESOURCE_NOT_FOUND', message: `no route ${method} ${path}` };
}
