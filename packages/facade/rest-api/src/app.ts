// The /v1 facade as a Hono app. It translates HTTP into calls of the control plane and never listens by itself.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tracer } from '@opentelemetry/api';
import type { ControlPlane, Log } from '@portico/control-plane';
import { type Context, Hono } from 'hono';
import type { AccessRules } from './access.js';
import { addActivityRoutes } from './activity-routes.js';
import { answerRefusal, type Refusal, toResponse } from './answer.js';
import { addApprovalRoutes } from './approval-routes.js';
import { addAuditRoutes } from './audit-routes.js';
import { addBudgetRoutes } from './budget-routes.js';
import { catalogRoutes } from './catalog-routes.js';
import { addClientRoutes } from './client-routes.js';
import { addConfigRoutes } from './config-routes.js';
import { addConsoleRoutes, type WebConsole } from './console-routes.js';
import { addConsoleSessionRoutes } from './console-session-routes.js';
import type { ExchangeRoute } from './exchange.js';
import { executionRoutes } from './execution-routes.js';
import { addGrantRoutes } from './grant-routes.js';
import { createGuard } from './guard.js';
import { addIdempotencyRoutes } from './idempotency-routes.js';
import { addInspectRoutes } from './inspect-routes.js';
import { addLockRoutes } from './lock-routes.js';
import { createNodeKernel } from './node-kernel.js';
import { addNoticeRoutes } from './notice-routes.js';
import { addPolicyRoutes } from './policy-routes.js';
import { headerCorrelation } from './request.js';
import { routesAt } from './route-table.js';
import { addSamplingRoutes } from './sampling-routes.js';
import { createAnswerError, createServe, type Serve } from './serve.js';
import { addServiceRoutes, type MetricsText } from './service-routes.js';
import { addTaskRoutes } from './task-routes.js';
import { traceRequests } from './trace-requests.js';
import { addTraceRoutes } from './trace-routes.js';
import { addUpdateRoutes } from './update-routes.js';
import { exchangeOf } from './web-exchange.js';

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

export interface RestApi extends Hono {
  /**
   * Answers a request of node:http where that is the shortest way to its answer. False leaves it untouched for `fetch`,
   * which answers every request, and these in the same way.
   */
  readonly serveNode: (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;
}

/** Every answer is JSON, what was asked for or an ErrorEnvelope; only metrics and the console's files are not. */
export function createRestApi(deps: RestApiDeps): RestApi {
  const { plane, access, version, randomHex, log, checkState, metrics, tracer, webConsole } = deps;
  const isAdmin = (role: string | null) => plane.state().policy.isAdmin(role);
  const onAccessRefused: ControlPlane['accessRefused'] = (request) => plane.accessRefused(request);
  const answerError = createAnswerError(log, randomHex);
  const serve = createServe({
    guard: createGuard({ rules: access, randomHex, isAdmin, onAccessRefused }),
    answerError,
    beginSpan: tracer === undefined ? undefined : traceRequests(tracer),
  });
  const refuse = (c: Context, refusal: Refusal) =>
    toResponse(answerRefusal(headerCorrelation(exchangeOf(c), randomHex), refusal));
  const exchangeRoutes = [...catalogRoutes(plane), ...executionRoutes({ plane, randomHex })];

  const app = new Hono();
  surround(app, serve);
  addExchangeRoutes(app, exchangeRoutes);
  addApprovalRoutes(app, { plane, randomHex });
  addNoticeRoutes(app, plane);
  addBudgetRoutes(app, { plane, randomHex });
  addGrantRoutes(app, { plane, randomHex });
  addTaskRoutes(app, plane);
  addSamplingRoutes(app, { plane, randomHex });
  addIdempotencyRoutes(app, plane);
  addAuditRoutes(app, plane);
  addActivityRoutes(app, plane, access.authenticate);
  addInspectRoutes(app, plane, access.authenticate);
  addLockRoutes(app, { plane, randomHex });
  addTraceRoutes(app, plane);
  addClientRoutes(app, { plane, randomHex });
  addUpdateRoutes(app, plane, access.authenticate);
  addConfigRoutes(app, { plane, randomHex });
  addPolicyRoutes(app, plane);
  addConsoleSessionRoutes(app, { plane, randomHex, sessions: access.consoleSessions });
  addServiceRoutes(app, { plane, version, checkState, metrics });
  addConsoleRoutes(app, webConsole, (c) => refuse(c, noRoute(c.req.method, c.req.path)));

  app.notFound((c) => refuse(c, refuseRoute(c.req.method, c.req.path)));
  app.onError((error, c) => toResponse(answerError(exchangeOf(c), error)));
  return Object.assign(app, { serveNode: createNodeKernel(exchangeRoutes, serve, log) });
}

/** The answer of a route stays with Hono: it may be a stream. */
function surround(app: Hono, serve: Serve): void {
  app.use(async (c, next) => {
    let isRouted = false;
    const route = async () => {
      await next();
      isRouted = true;
      return { status: c.res.status, headers: {}, body: null };
    };
    const answer = await serve(exchangeOf(c), route, '');
    return isRouted ? undefined : toResponse(answer);
  });
}

function addExchangeRoutes(app: Hono, routes: readonly ExchangeRoute[]): void {
  for (const { method, path, handle } of routes) {
    app.on(method, path.replace(/\{(\w+)\}/, ':$1{[^]+}'), async (c) =>
      toResponse(await handle(exchangeOf(c), c.req.param('id') ?? '')),
    );
  }
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
