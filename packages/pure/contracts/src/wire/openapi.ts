// The OpenAPI 3.1 document, made from the route table and the schemas that also validate requests.
import type { JsonObject, JsonValue } from '../json.js';
import { errorEnvelopeSchema } from './envelope.js';
import { wireJsonSchema } from './json-schema.js';
import { type Route, routes } from './routes.js';

/**
 * The OpenAPI 3.1 document of the HTTP API, made from the table of routes.
 * @param version the product version, as `info.version`
 */
export function openApiDocument(version: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const methods = paths[route.path] ?? {};
    methods[route.method] = toOperation(route);
    paths[route.path] = methods;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portico',
      version,
      description: 'A local control plane between AI agents and the MCP servers they use.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:9090' }],
    security: [{}, { bearer: [] }],
    paths,
    components: {
      schemas: { ErrorEnvelope: wireJsonSchema(errorEnvelopeSchema, 'output') },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function toOperation(route: Route): JsonObject {
  return {
    operationId: route.operationId,
    summary: route.summary,
    'x-portico-access': route.access,
    ...(route.access === 'open' && !route.hasCallerDetails ? { security: [] } : {}),
    parameters: toParameters(route),
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(wireJsonSchema(route.body, 'input')) } }),
    responses: toResponses(route),
  };
}

function toParameters(route: Route): JsonValue[] {
  const text = { schema: { type: 'string' } };
  const correlation = [
    'X-Request-ID',
    'X-Operation-ID',
    'X-Work-Item-ID',
    'X-Actor-ID',
    'X-Grant-ID',
    'traceparent',
    'tracestate',
  ];
  return [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name: name ?? '',
      in: 'path',
      required: true,
      ...text,
    })),
    ...(route.takesProfile
      ? [
          { name: 'profile', in: 'query', ...text },
          { name: 'X-Service-Profile', in: 'header', ...text },
        ]
      : []),
    ...(route.conditional ? [{ name: 'If-None-Match', in: 'header', ...text }] : []),
    ...(route.takesCorrelation ? correlation.map((name) => ({ name, in: 'header', ...text })) : []),
    ...(route.headers ?? []).map((name) => ({ name, in: 'header', ...text })),
    ...(route.queries ?? []).map((name) => ({ name, in: 'query', ...text })),
  ];
}

/** Access, and what the HTTP parser refuses before a route is looked up: another `Expect`, headers that are too large. */
const failuresOfAnyRoute = [401, 403, 417, 431] as const;

function toResponses(route: Route): JsonObject {
  const answer = route.answer === undefined ? { type: 'object' } : wireJsonSchema(route.answer, 'output');
  const texts = route.mediaTypes?.map((type) => [type, { schema: { type: 'string' } }] as const);
  const content = texts === undefined ? json(answer) : Object.fromEntries(texts);
  const failure = json({ $ref: '#/components/schemas/ErrorEnvelope' });
  const waiting = json({ anyOf: [answer, { $ref: '#/components/schemas/ErrorEnvelope' }] });
  return {
    200: { description: 'OK', content, ...headersOf(route) },
    ...(route.mayWait ? { 202: { description: 'Waits for a person, or goes on as a task', content: waiting } } : {}),
    ...(route.accepted === undefined
      ? {}
      : { 202: { description: 'Accepted for later', content: json(wireJsonSchema(route.accepted, 'output')) } }),
    ...(route.conditional ? { 304: { description: 'Not modified' } } : {}),
    ...Object.fromEntries(
      [...new Set([...route.failures, ...failuresOfAnyRoute])]
        .sort((a, b) => a - b)
        .map((status) => [status, toFailure(route, status, failure)]),
    ),
  };
}

function headersOf({ conditional, retryAfter }: Route): JsonObject {
  if (conditional) return { headers: { ETag: { schema: { type: 'string' } } } };
  if (retryAfter !== true) return {};
  const description = 'The rest of the limits of the budgets that have counted the call: a list (RFC 9651)';
  return { headers: { 'X-Service-Budget-Remaining': { description, schema: { type: 'string' } } } };
}

function toFailure({ retryAfter }: Route, status: number, content: JsonObject): JsonObject {
  const failed = { description: 'The request failed', content };
  if (status !== 403 || retryAfter !== true) return failed;
  const description = 'Seconds after which the call may run again, where it is refused for a while';
  return { ...failed, headers: { 'Retry-After': { description, schema: { type: 'integer' } } } };
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}
