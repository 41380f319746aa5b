// The ids that tie an answer to its request. The body comes first; the correlation headers only fill what it leaves open.
import { type Correlation, PorticoError, type RequestContext } from '@portico/contracts';
import { parseTraceParent } from '@portico/control-plane';
import type { Exchange, RequestTrace } from './exchange.js';

const maxLength = 1024;

export interface CorrelatedBody {
  readonly request_id?: string | null | undefined;
  readonly context?: RequestContext | null | undefined;
}

/** @throws PorticoError INVALID_ARGS for a correlation header that is too long */
export function correlationOf(
  x: Exchange,
  body: CorrelatedBody,
  randomHex: (characters: number) => string,
): Correlation {
  const context = mergeContext(x, body.context ?? {});
  const requestId = body.request_id ?? header(x, 'X-Request-ID') ?? null;
  const { traceId, parent } = traceOf(x, randomHex);
  const correlation = parent === undefined ? { requestId, traceId } : { requestId, traceId, parent };
  return context === undefined ? correlation : { ...correlation, context };
}

/** Correlation of a request that is refused: its id where one could be read, from the body first. */
export function headerCorrelation(x: Exchange, randomHex: (characters: number) => string): Correlation {
  const requestId = x.requestId ?? x.header('x-request-id');
  const isUsable = requestId !== undefined && requestId !== '' && requestId.length <= maxLength;
  return {
    requestId: isUsable ? requestId : null,
    ...traceOf(x, randomHex),
  };
}

const contextHeaders = {
  operation_id: 'X-Operation-ID',
  work_item_id: 'X-Work-Item-ID',
  actor_id: 'X-Actor-ID',
  grant_id: 'X-Grant-ID',
} as const;

const contextFields = Object.keys(contextHeaders) as readonly (keyof typeof contextHeaders)[]; // it has no others

function mergeContext(x: Exchange, body: RequestContext): RequestContext | undefined {
  let merged: Record<string, string> | undefined;
  for (const field of contextFields) {
    const value = body[field] ?? header(x, contextHeaders[field]);
    if (value !== undefined && value !== null) merged = { ...merged, [field]: value };
  }
  return merged;
}

const lowerCase: Readonly<Record<string, string>> = Object.fromEntries(
  ['X-Request-ID', ...Object.values(contextHeaders)].map((name) => [name, name.toLowerCase()]),
);

function header(x: Exchange, name: string): string | undefined {
  const value = x.header(lowerCase[name] ?? name);
  if (value !== undefined && value.length > maxLength) {
    throw new PorticoError('INVALID_ARGS', `header ${name} is longer than ${maxLength} characters`);
  }
  return value === '' ? undefined : value;
}

function traceOf(x: Exchange, randomHex: (characters: number) => string): RequestTrace {
  return x.trace ?? incomingTrace(x) ?? { traceId: randomHex(32) };
}

/** The span that the request's headers name; undefined when they name none. */
export function incomingTrace(x: Exchange): Required<RequestTrace> | undefined {
  return parseTraceParent(x.header('traceparent'), x.header('tracestate'));
}
