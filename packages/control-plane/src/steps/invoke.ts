// Step 7: sends the request through circuit, queue and session, and says of every outcome what it means for a repeat.
import { type JsonObject, type JsonValue, nothingSent, type RetryMetadata } from '@portico/contracts';
import {
  DeadlinePassed,
  type SendDeadline,
  type SendOutcome,
  type UpstreamPool,
  type UpstreamRequest,
} from '@portico/upstream-pool';
import { CallFailure } from '../call.js';
import type { Target } from './resolve.js';

export interface Answer {
  readonly data: JsonValue;
  readonly retry: RetryMetadata;
}

/** @throws CallFailure CIRCUIT_OPEN, SERVER_UNREACHABLE, UPSTREAM_TIMEOUT, UPSTREAM_ERROR, OPERATION_CANCELLED, RESOURCE_NOT_FOUND */
export async function invoke(
  pool: Pick<UpstreamPool, 'get'>,
  target: Target,
  request: UpstreamRequest,
  deadline: SendDeadline,
): Promise<Answer & { readonly data: JsonObject }> {
  const upstream = pool.get(target.server);
  // Between its configuration and its mount, or at the end of the service.
  if (upstream === undefined) throw new CallFailure('SERVER_UNREACHABLE', `server "${target.server}" is not running`);
  const outcome = await upstream.send(request, deadline);
  if (outcome.kind === 'answered')
    return { data: outcome.result, retry: retryOf(target, isInterim(outcome.result) ? 'unknown' : 'completed') };
  throw toFailure(target, outcome, deadline.signal);
}

type Failed = Exclude<SendOutcome, { readonly kind: 'answered' }>;

function toFailure(target: Target, outcome: Failed, signal: AbortSignal): CallFailure {
  const { server } = target;
  switch (outcome.kind) {
    case 'circuit_open':
      return new CallFailure(
        'CIRCUIT_OPEN',
        `circuit for server "${server}" is open after ${outcome.failures} consecutive failures; retry in ${outcome.remainingMs} ms`,
      );
    case 'unreachable':
      return new CallFailure('SERVER_UNREACHABLE', outcome.reason, sentOrNot(target, outcome.sent));
    case 'aborted':
      return signal.reason instanceof DeadlinePassed
        ? new CallFailure(
            'UPSTREAM_TIMEOUT',
            timeoutMessage(server, signal.reason, outcome.sent),
            sentOrNot(target, outcome.sent),
          )
        : new CallFailure('OPERATION_CANCELLED', 'the operation was cancelled', sentOrNot(target, outcome.sent));
    case 'rejected':
      return rejected(target, outcome.error);
  }
}

function rejected(
  target: Target,
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
): CallFailure {
  const retry = retryOf(target, 'completed');
  if (target.kind === 'resource' && isMissingResource(target.name, error)) {
    return new CallFailure('RESOURCE_NOT_FOUND', `server "${target.server}" has no resource "${target.name}"`, retry);
  }
  return new CallFailure(
    'UPSTREAM_ERROR',
    `server "${target.server}" answered with error ${error.code}: ${error.message}`,
    retry,
  );
}

/** -32002 until 2025-11-25; since 2026-07-28 it is -32602 with the URI as data (MCP, server/resources). */
function isMissingResource(uri: string, { code, data }: { readonly code: number; readonly data?: unknown }): boolean {
  if (code === -32002) return true;
  return code === -32602 && typeof data === 'object' && data !== null && 'uri' in data && data.uri === uri;
}

function timeoutMessage(server: string, { timeoutMs }: DeadlinePassed, sent: boolean): string {
  return sent
    ? `server "${server}" did not answer within ${timeoutMs} ms (toolTimeoutMs)`
    : `no free place at server "${server}" within ${timeoutMs} ms (toolTimeoutMs)`;
}

function sentOrNot(target: Target, sent: boolean): RetryMetadata {
  return sent ? retryOf(target, 'unknown') : nothingSent;
}

/** Reads are safe to repeat; a tool is when it says so of itself. */
function retryOf({ kind, tool }: Target, state: RetryMetadata['upstream_execution_state']): RetryMetadata {
  if (kind !== 'tool' || tool?.annotations?.readOnlyHint === true)
    return { classification: 'safe', upstream_execution_state: state };
  const classification = tool?.annotations?.idempotentHint === true ? 'idempotent' : 'unsafe';
  return { classification, upstream_execution_state: state };
}

/** `input_required` and `task` results are answers on the way to an answer (MCP 2026-07-28). */
function isInterim(result: JsonObject): boolean {
  return result.resultType !== undefined && result.resultType !== 'complete';
}
