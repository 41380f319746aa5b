// Parses a request: its JSON body, the caller and its view, and the ids that link an answer to it. A problem of a body
// is reported with its path, before anything else happens. The guard has identified the caller before any route is
// reached. Ids in the body come first; the correlation headers only fill the gaps.
import { type AbortSignalLike, AbortSource } from '@portico/async';
import {
  type Correlation,
  clientBounds,
  describeIssues,
  excessOf,
  isJsonObject,
  mayHoldExact,
  PorticoError,
  parseExact,
  parseJson,
  parseWith,
  type RequestContext,
} from '@portico/contracts';
import {
  type Caller,
  type ConfigAuthor,
  type ControlPlane,
  type Identity,
  parseTraceParent,
} from '@portico/control-plane';
import type { Viewer } from '@portico/policy-engine';
import type * as v from 'valibot';
import type { Exchange, RequestTrace } from './exchange.js';

export const maxBodyBytes = 4 * 1024 * 1024;

/** Answered with 413. */
export class BodyTooLarge extends PorticoError {
  constructor() {
    super('INVALID_ARGS', `the body is larger than ${maxBodyBytes} bytes (a fixed limit)`);
  }
}

/** Reads the body. @throws PorticoError INVALID_ARGS, and what `bytes` of the exchange throws: in the promise */
export async function readBody<S extends v.GenericSchema>(x: Exchange, schema: S): Promise<v.InferOutput<S>> {
  return parseBody(x, schema, await x.bytes());
}

const decoder = new TextDecoder('utf-8', { fatal: true }); // keeps nothing between texts that are decoded whole

/** @param bytes of the whole body. @throws PorticoError INVALID_ARGS */
export function parseBody<S extends v.GenericSchema>(x: Exchange, schema: S, bytes: Uint8Array): v.InferOutput<S> {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new PorticoError('INVALID_ARGS', 'the body is not valid UTF-8');
  }
  const excess = text.length > clientBounds.levels ? excessOf(text, clientBounds) : undefined; // a shorter one has none
  if (excess !== undefined) throw new PorticoError('INVALID_ARGS', `the body is ${excess}`);
  let value: unknown;
  try {
    value = mayHoldExact.test(text) ? parseExact(text) : parseJson(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : error;
    throw new PorticoError('INVALID_ARGS', `the body is not valid JSON: ${problem}`);
  }
  if (!isJsonObject(value)) throw new PorticoError('INVALID_ARGS', 'the body must be a JSON object');
  // A refusal names the request by the id its body gave, so it is kept before anything else can fail.
  if (typeof value.request_id === 'string' && value.request_id !== '') x.requestId = value.request_id;
  const parsed = parseWith(schema, value);
  if (!parsed.ok) throw new PorticoError('INVALID_ARGS', describeIssues(parsed.issues));
  return parsed.value;
}

/** A caller that goes away in the middle of its body has cancelled, and gets no answer. */
export function endedEarly(cause: unknown): PorticoError {
  return new PorticoError('OPERATION_CANCELLED', 'the request body ended early', { cause });
}

/**
 * The caller, through the view that the request names. The header wins over the query; null if neither is there. An
 * empty name is a name that does not exist, never the whole catalog.
 * @throws Error on a route that is open to all, where the caller may not be identified
 */
export function callerOf({ path, identity, source, headers, query }: Exchange): Caller {
  if (identity === undefined) throw unidentified(path);
  const { principal, role, actor, actorKind } = identity;
  return { principal, role, actor, actorKind, source, profile: headers['x-service-profile'] ?? query.profile ?? null };
}

/** The view of the role for things that are not divided by profiles. */
export function roleViewerOf(x: Exchange): Viewer {
  return { role: identityOf(x).role, profile: null };
}

/** The required owner of shown things; undefined for admins, who see those of all owners. */
export function ownerOf(x: Exchange, plane: ControlPlane): Caller | undefined {
  const identity = identityOf(x);
  return plane.state().policy.isAdmin(identity.role) ? undefined : { ...identity, profile: null };
}

/** Whether the caller could use a protected route. */
export function isSomebody(x: Exchange): boolean {
  return x.identity !== undefined;
}

/** @throws Error on a route that is open to all, where the caller may not be identified */
export function identityOf(x: Exchange): Identity {
  if (x.identity === undefined) throw unidentified(x.path);
  return x.identity;
}

function unidentified(path: string): Error {
  return new Error(`${path} is an open route: its caller is not identified`);
}

/** The author of a change, as the audit log records it. @throws PorticoError as correlationOf */
export function authorOf(x: Exchange, randomHex: (characters: number) => string): ConfigAuthor {
  return { identity: { ...identityOf(x), source: x.source }, correlation: correlationOf(x, {}, randomHex) };
}

/** The part of Node's ServerResponse that says when a caller went away. */
export interface Outgoing {
  readonly closed: boolean;
  readonly writableFinished: boolean;
  on(event: 'close', listener: () => void): unknown;
}

const goneAway = new Error('the caller went away');

/** A signal that aborts when the connection closes before the answer has been handed to it. */
export function abandonSignalOf(outgoing: Outgoing): AbortSignalLike {
  const abandoned = new AbortSource();
  const onClose = () => {
    if (!outgoing.writableFinished) abandoned.abort(goneAway);
  };
  if (outgoing.closed) onClose();
  else outgoing.on('close', onClose);
  return abandoned;
}

const maxLength = 1024;

export interface CorrelatedBody {
  readonly request_id?: string | null | undefined;
  readonly context?: RequestContext | null | undefined;
}

const contextHeaders = [
  { field: 'operation_id', header: 'X-Operation-ID', name: 'x-operation-id' },
  { field: 'work_item_id', header: 'X-Work-Item-ID', name: 'x-work-item-id' },
  { field: 'actor_id', header: 'X-Actor-ID', name: 'x-actor-id' },
  { field: 'grant_id', header: 'X-Grant-ID', name: 'x-grant-id' },
] as const;

type ContextHeader = (typeof contextHeaders)[number];

/**
 * An empty text counts as absent, in the body as in a header. @throws PorticoError INVALID_ARGS for a correlation
 * header that is too long
 */
export function correlationOf(
  x: Exchange,
  body: CorrelatedBody,
  randomHex: (characters: number) => string,
): Correlation {
  const { headers } = x;
  let context: Record<string, string> | undefined;
  for (let at = 0; at < contextHeaders.length; at += 1) {
    const { field, header, name } = contextHeaders[at] as ContextHeader; // an iterator would be garbage of each call
    const value = body.context?.[field] || (headers[name] ? checkLength(header, headers[name]) : null);
    if (value !== null) context = { ...context, [field]: value };
  }
  const given = headers['x-request-id'];
  const requestId = body.request_id || (given ? checkLength('X-Request-ID', given) : null);
  const trace = x.trace ?? (headers.traceparent === undefined ? undefined : incomingTrace(x));
  const traceId = trace?.traceId ?? randomHex(32);
  const correlation =
    trace?.parent === undefined ? { requestId, traceId } : { requestId, traceId, parent: trace.parent };
  return context === undefined ? correlation : { ...correlation, context };
}

function checkLength(header: string, value: string): string {
  if (value.length <= maxLength) return value;
  throw new PorticoError('INVALID_ARGS', `header ${header} is longer than ${maxLength} characters (a fixed limit)`);
}

/** Correlation of a request that is refused: its id where one could be read, from the body first. */
export function headerCorrelation(x: Exchange, randomHex: (characters: number) => string): Correlation {
  const requestId = x.requestId ?? x.headers['x-request-id'];
  const isUsable = requestId !== undefined && requestId !== '' && requestId.length <= maxLength;
  const trace: RequestTrace = x.trace ?? incomingTrace(x) ?? { traceId: randomHex(32) };
  return { requestId: isUsable ? requestId : null, ...trace };
}

/** The span that the request's headers name; undefined when they name none. */
export function incomingTrace({ headers }: Exchange): Required<RequestTrace> | undefined {
  return parseTraceParent(headers.traceparent, headers.tracestate);
}
