// One span for every request, named after its route. It says what was asked for, never with what: no path, query or header.
import {
  type Attributes,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import { toContext, toTraceParent } from '@portico/control-plane';
import type { Exchange } from './exchange.js';
import { incomingTrace } from './request.js';
import { routesAt } from './route-table.js';

/** Asked for every few seconds by machines, and of no interest in a trace. */
const untraced: readonly string[] = ['/healthz', '/metrics'];

const knownMethods: readonly string[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
];

/** Ends the span of a request that was answered with this status. */
export type EndSpan = (status: number) => void;

/** Continues the trace of a `traceparent`, or begins one; everything that the request does is then part of it. */
export function traceRequests(tracer: Tracer): (x: Exchange) => EndSpan | undefined {
  return (x) => {
    if (untraced.includes(x.path)) return undefined;
    const incoming = incomingTrace(x);
    const { name, attributes } = describe(x);
    const around = incoming === undefined ? ROOT_CONTEXT : toContext(incoming.traceId, incoming.parent);
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, around);
    const context = span.spanContext();
    // A no-op tracer has an invalid context.
    if (isSpanContextValid(context)) x.trace = { traceId: context.traceId, parent: toTraceParent(context) };
    return (status) => {
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) span.setAttribute('error.type', String(status)).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  };
}

/** Named by method and route (OpenTelemetry semantic conventions, HTTP server spans); an unknown path has no name. */
function describe(x: Exchange): { readonly name: string; readonly attributes: Attributes } {
  const { method, path } = x;
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  const route = routesAt(path).find((known) => known.method === asked)?.path;
  const isKnown = knownMethods.includes(method);
  const attributes = { 'http.request.method': isKnown ? method : '_OTHER', 'url.scheme': 'http' };
  const shown = isKnown ? method : 'HTTP';
  return route === undefined
    ? { name: shown, attributes }
    : { name: `${shown} ${route}`, attributes: { ...attributes, 'http.route': route } };
}
