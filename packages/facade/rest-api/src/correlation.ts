// The ids that tie an answer to its request. The body comes first; the correlation headers only fill what it leaves open.
import { type Correlation, PorticoError, type RequestContext } from '@portico/contracts';
import { parseTraceParent } from '@portico/control-plane';
import type { Context } from 'hono';

const maxLength = 1024;

/** Where a request keeps its own trace, once it has a span. */
export const traceKey = 'trace';

export type RequestTrace = Pick<Correlation, 'traceId' | 'parent'>;

export interface CorrelatedBody {
  readonly request_id?: string | null | undefined;
  readonly context?: RequestContext | null | undefined;
}

/** @throws PorticoError INVALID_ARGS for a correlation header that is too long */
export function correlationOf(
  c: Context,
  body: CorrelatedBody,
  randomHex: (characters: number) => string,
): Correlation {
  const context = mergeContext(c, body.context ?? {});
  return {
    requestId: body.request_id ?? header(c, 'X-Request-ID') ?? null,
    ...traceOf(c, randomHex),
    ...(context === undefined ? {} : { context }),
  };
}

/** Correlation of a request that is refused: its id where one could be read, from the body first. */
export function headerCorrelation(c: Context, randomHex: (characters: number) => string): Correlation {
  const requestId: unknown = c.get('requestId') ?? c.req.header('X-Request-ID');
  const isUsable = typeof requestId === 'string' && requestId !== '' && requestId.length <= maxLength;
  return {
    requestId: isUsable ? requestId : null,
    ...traceOf(c, randomHex),
  };
}

const contextHeaders = {
  operation_id: 'X-Operation-ID',
  work_item_id: 'X-Work-Item-ID',
  actor_id: 'X-Actor-ID',
  grant_id: 'X-Grant-ID',
} as const;

function mergeContext(c: Context, body: RequestContext): RequestContext | undefined {
  const merged: Record<string, string> = {};
  for (const [field, name] of Object.entries(contextHeaders)) {
    const value = body[field as keyof RequestContext] ?? header(c, name); // the keys of contextHeaders are RequestContext's
    if (value !== undefined && value !== null) merged[field] = value;
  }
  return Object.keys(merged).length === 0 ? undefined : merged;
}

function header(c: Context, name: string): string | undefined {
  const value = c.req.header(name);
  if (value !== undefined && value.length > maxLength) {
    throw new PorticoError('INVALID_ARGS', `header ${name} is longer than ${maxLength} characters`);
  }
  return value === '' ? undefined : value;
}

function traceOf(c: Context, randomHex: (characters: number) => string): RequestTrace {
  const own: RequestTrace | undefined = c.get(traceKey);
  return own ?? incomingTrace(c) ?? { traceId: randomHex(32) };
}

/** The span that the request's headers name; undefined when they name none. */
export function incomingTrace(c: Context): Required<RequestTrace> | undefined {
  return parseTraceParent(c.req.header('traceparent'), c.req.header('tracestate'));
}
