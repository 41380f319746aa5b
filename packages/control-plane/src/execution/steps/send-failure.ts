// Maps a request without a result from its upstream to the failure of the call, and to its retry metadata.
import type { AbortSignalLike } from '@portico/async';
import type { JsonValue, RetryMetadata, RpcError } from '@portico/contracts';
import { DeadlinePassed, maxErrorData, type SendOutcome, type UpstreamRpcError } from '@portico/upstream-pool';
import { CallFailure } from '../../call/call.js';
import { cancelled } from '../../call/failures.js';
import type { Target } from '../../call/target.js';
import { retryOf } from '../../state/target.js';

type Failed = Exclude<SendOutcome, { readonly kind: 'answered' }>;

/** @param signal of the request; its reason says why it was aborted */
export function failureOf(target: Target, outcome: Failed, signal: AbortSignalLike, isKeyed: boolean): CallFailure {
  const { server } = target;
  const retry = (state: RetryMetadata['upstream_execution_state']) => retryOf(target, isKeyed, state);
  switch (outcome.kind) {
    case 'circuit_open':
      return new CallFailure(
        'CIRCUIT_OPEN',
        `circuit for server "${server}" is open after ${outcome.failures} consecutive failures; retry in ${outcome.remainingMs} ms`,
      );
    case 'queue_full':
      return new CallFailure('POLICY_DENIED', queueFullMessage(server, outcome), retry('not_started'), {
        retryable: true,
      });
    case 'unreachable':
      return unreachable(server, outcome, retry(outcome.sent ? 'unknown' : 'not_started'));
    case 'aborted': {
      const state = retry(outcome.sent ? 'unknown' : 'not_started');
      return signal.reason instanceof DeadlinePassed
        ? new CallFailure('UPSTREAM_TIMEOUT', timeoutMessage(server, signal.reason, outcome), state)
        : cancelled(signal, state);
    }
    case 'withheld':
      return new CallFailure('POLICY_DENIED', outcome.reason, retry('not_started'), { reason: 'definition_changed' });
    case 'unasked':
      return new CallFailure('INTERNAL_ERROR', unaskedMessage(server, outcome.reason), retry('unknown'));
    case 'rejected':
      return rejected(target, outcome.error, retry('completed'));
  }
}

type Unreachable = Extract<SendOutcome, { readonly kind: 'unreachable' }>;

function unreachable(server: string, outcome: Unreachable, retry: RetryMetadata): CallFailure {
  const { reason, isDisabled } = outcome;
  if (isDisabled !== true) return new CallFailure('SERVER_UNREACHABLE', reason, retry);
  return new CallFailure('SERVER_UNREACHABLE', reason, retry, {
    retryable: false,
    hint: disabledHint(server, outcome),
  });
}

function disabledHint(server: string, { retryMs }: Unreachable): string {
  if (retryMs === undefined)
    return `a repeat will not help: an operator has to look at server "${server}" and restart it`;
  const often = `server "${server}" is tried again every ${Math.round(retryMs / 1000)} s`;
  return `${often} (supervisor.retryGivenUpSecs); a repeat helps only after one of these attempts, or after an operator has restarted it`;
}

function rejected(target: Target, error: UpstreamRpcError, retry: RetryMetadata): CallFailure {
  if (target.kind === 'resource' && isMissingResource(target.name, error)) {
    return new CallFailure('RESOURCE_NOT_FOUND', `server "${target.server}" has no resource "${target.name}"`, retry);
  }
  return new CallFailure(
    'UPSTREAM_ERROR',
    `server "${target.server}" answered with error ${error.code}: ${error.message}`,
    retry,
    { rpcError: toRpcError(error) },
  );
}

function toRpcError({ code, message, data }: UpstreamRpcError): RpcError {
  const isSmall = data !== undefined && JSON.stringify(data).length <= maxErrorData;
  return { code, message, ...(isSmall ? { data: data as JsonValue } : {}) }; // it came as JSON
}

/** -32002 until 2025-11-25; since 2026-07-28 it is -32602 with the URI as data (MCP, server/resources). */
function isMissingResource(uri: string, { code, data }: { readonly code: number; readonly data?: unknown }): boolean {
  if (code === -32002) return true;
  return code === -32602 && typeof data === 'object' && data !== null && 'uri' in data && data.uri === uri;
}

function queueFullMessage(server: string, { held, limit }: Extract<SendOutcome, { readonly kind: 'queue_full' }>) {
  const share = `all of your share of calls that wait for a place at server "${server}"`;
  return `you have ${share}: ${held} (limits.queuedCalls: ${limit}); repeat this one when some of them have ended`;
}

/** The call was sent; its effect before the question is unknown. */
function unaskedMessage(server: string, reason: string): string {
  return `server "${server}" could not ask its caller: ${reason}; what it did before is not known`;
}

type Aborted = Extract<SendOutcome, { readonly kind: 'aborted' }>;

function timeoutMessage(
  server: string,
  { timeoutMs, extendedBy }: DeadlinePassed,
  { sent, waitedFor, unasked }: Aborted,
): string {
  const within = `within ${timeoutMs} ms (toolTimeoutMs${extendedBy === undefined ? '' : `, extended: ${extendedBy}`})`;
  if (unasked !== undefined) return `${unaskedMessage(server, unasked)}, and it did not end ${within}`;
  if (sent) return `server "${server}" did not answer ${within}`;
  if (waitedFor === undefined) return `no free place at server "${server}" ${within}`;
  return `server "${server}" could not be sent the call ${within}: ${waitedFor}`;
}
