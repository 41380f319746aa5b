// Judges answers by the OpenAPI document: a status that the route documents, a body that fits its schema, an
// ErrorEnvelope for every failure. It imports nothing of the product.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type JsonSchema, type OpenApi, type Operation, operationsOf } from './openapi.js';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly allow: string | undefined;
  readonly text: string;
}

export interface Documented {
  readonly operations: readonly Operation[];
  /** Problems of an answer; empty if it is as documented. @param target path and query, as they were sent */
  problemsOf(method: string, target: string, answer: Answer): readonly string[];
}

/** The statuses of a code, as docs/http-api.md lists them. */
const statusesOf: Readonly<Record<string, readonly number[]>> = {
  TOOL_NOT_FOUND: [404],
  RESOURCE_NOT_FOUND: [404],
  PROMPT_NOT_FOUND: [404],
  INVALID_ARGS: [400, 405, 409, 413, 415, 417, 431],
  POLICY_DENIED: [401, 403],
  APPROVAL_PENDING: [202, 403, 409],
  APPROVAL_REJECTED: [403],
  APPROVAL_TIMEOUT: [408],
  CIRCUIT_OPEN: [503],
  SERVER_UNREACHABLE: [502],
  UPSTREAM_TIMEOUT: [504],
  UPSTREAM_ERROR: [502],
  OPERATION_CANCELLED: [499],
  INTERNAL_ERROR: [500, 503],
};

/** RFC 3986, section 2. */
const uriCharacters = /^[\w.~:/?#[\]@!$&'()*+,;=%-]*$/;

export function createDocumented(document: OpenApi): Documented {
  const operations = operationsOf(document);
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(closed(schema), `#/components/schemas/${name}`);
  }
  const compiled = new Map<JsonSchema, ValidateFunction>();
  const fit = (schema: JsonSchema, body: unknown): readonly string[] => {
    const validate = compiled.get(schema) ?? ajv.compile(closed(schema));
    compiled.set(schema, validate);
    if (validate(body)) return [];
    const [first] = validate.errors ?? [];
    return [
      `the body does not fit its schema: ${first?.instancePath} ${first?.message} ${JSON.stringify(first?.params)}`,
    ];
  };
  const envelope = { $ref: '#/components/schemas/ErrorEnvelope' };
  const problemsOfFailure = ({ status, contentType, text }: Answer): readonly string[] => {
    const body = parse(text);
    if (contentType !== 'application/json' || body === undefined) return [`a failure of type "${contentType}"`];
    const problems = fit(envelope, body);
    return problems.length > 0 ? problems : problemsOfCode(status, body as FailureBody);
  };

  return {
    operations,
    problemsOf(method, target, answer) {
      const { status, contentType, text } = answer;
      // Invalid HTTP never becomes a request of any route, and unauthorized callers learn nothing about routes.
      const isRefusedBefore = (status === 400 && !uriCharacters.test(target)) || status === 401 || status === 403;
      const place = requestedRoute(operations, method, target);
      const isHead = method === 'HEAD';
      if (isRefusedBefore) return isHead ? [] : problemsOfFailure(answer);
      if (place.kind === 'nowhere')
        return status === 404 ? (isHead ? [] : problemsOfFailure(answer)) : [`${status}, not 404`];
      if (place.kind === 'wrong method') {
        const refused = answer.allow === undefined ? ['a 405 without Allow'] : [];
        return status === 405 ? [...refused, ...(isHead ? [] : problemsOfFailure(answer))] : [`${status}, not 405`];
      }
      const described = place.operations.find(({ responses }) => String(status) in responses);
      if (described === undefined)
        return [`${status} is not documented for ${place.operations.map(({ id }) => id)}: ${text.slice(0, 300)}`];
      if (isHead) return [];
      const { content } = described.responses[status] ?? {};
      if (content === undefined) return text === '' ? [] : ['a body without a documented one'];
      const media = content[contentType];
      if (media === undefined) return [`the type "${contentType}" is not documented`];
      if (contentType !== 'application/json') return [];
      const body = parse(text);
      if (body === undefined) return ['the body is not JSON'];
      if (status >= 400) return problemsOfFailure(answer);
      const isFailure =
        typeof body === 'object' && body !== null && 'ok' in body && body.ok === false && 'error' in body;
      return isFailure && status === 202 ? problemsOfFailure(answer) : fit(media.schema, body);
    },
  };
}

interface FailureBody {
  readonly trace_id: string;
  readonly error: { readonly code: string; readonly message: string };
}

function problemsOfCode(status: number, { trace_id, error }: FailureBody): readonly string[] {
  const isOfCode = statusesOf[error.code]?.includes(status) ?? false;
  return [
    ...(isOfCode ? [] : [`${error.code} under ${status}`]),
    // A defect, for every route: no request sent here may cause one.
    ...(error.code === 'INTERNAL_ERROR' ? [`INTERNAL_ERROR: ${error.message}`] : []),
    ...(/^[0-9a-f]{32}$/.test(trace_id) ? [] : [`the trace id "${trace_id}"`]),
    ...(error.message === '' ? ['a failure that says nothing'] : []),
  ];
}

type RequestedRoute =
  | { readonly kind: 'route'; readonly operations: readonly Operation[] }
  | { readonly kind: 'wrong method' }
  | { readonly kind: 'nowhere' };

/** Ids of the catalog, keys and request ids may hold slashes, so several routes may be meant by one path. */
function requestedRoute(operations: readonly Operation[], method: string, target: string): RequestedRoute {
  const path = pathOf(target);
  const at = operations.filter((operation) => toPattern(operation.path).test(path));
  const asked = method === 'HEAD' ? 'GET' : method;
  const meant = at.filter((operation) => operation.method === asked);
  const literal = meant.filter((operation) => operation.path === path);
  if (meant.length > 0) return { kind: 'route', operations: literal.length > 0 ? literal : meant };
  return at.length > 0 ? { kind: 'wrong method' } : { kind: 'nowhere' };
}

/** As a server sees it: dot segments resolved (RFC 3986, section 6.2.2.3), escapes as they are, a backslash no slash. */
function pathOf(target: string): string {
  return new URL(`http://127.0.0.1${target.replaceAll('\\', '%5C')}`).pathname;
}

function toPattern(path: string): RegExp {
  const escaped = path
    .replaceAll('.', '\\.')
    .replace(/(?<=\/(?:capabilities|records|operations)\/)\{\w+\}/, '.+')
    .replace(/(?<=^\/ui\/)\{\w+\}/, '.*'); // a page of the console, which may be the first one
  return new RegExp(`^${escaped.replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** A shape that is described field by field has no other fields: what is not documented must not be there. */
function closed(schema: JsonSchema): JsonSchema {
  return close(schema) as JsonSchema;
}

function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, close(member)]));
  const describesFields = copy.type === 'object' && copy.properties !== undefined;
  return describesFields && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
