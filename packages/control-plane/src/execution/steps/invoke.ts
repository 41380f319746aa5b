// The contact with an upstream: through circuit, queue and session, and what every outcome means for a repeat.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject, JsonValue, RetryMetadata, RpcError } from '@portico/contracts';
import {
  DeadlinePassed,
  type SendDeadline,
  type SendOutcome,
  type Upstream,
  type UpstreamPool,
  type UpstreamRequest,
  type UpstreamRpcError,
} from '@portico/upstream-pool';
import { CallFailure } from '../../call/call.js';
import { cancelled, retryOf } from '../../call/failures.js';
import { isInterim } from '../../call/interim.js';
import type { Target } from '../../call/target.js';

export interface Answer {
  readonly data: JsonValue;
  readonly retry: RetryMetadata;
}

/** What an upstream answered with. */
export interface UpstreamAnswer extends Answer {
  readonly data: JsonObject;
}

/** @throws CallFailure CIRCUIT_OPEN, SERVER_UNREACHABLE, UPSTREAM_TIMEOUT, UPSTREAM_ERROR, OPERATION_CANCELLED, RESOURCE_NOT_FOUND */
export async function invoke(
  pool: Pick<UpstreamPool, 'get'>,
  target: Target,
  request: UpstreamRequest,
  deadline: SendDeadline,
  isKeyed: boolean,
): Promise<UpstreamAnswer> {
  const outcome = await upstreamOf(pool, target).send(request, deadline);
  return answerOf(target, outcome, deadline.signal, isKeyed);
}

/** @throws CallFailure SERVER_UNREACHABLE between its configuration and its mount, or at the end of the service */
export function upstreamOf(pool: Pick<UpstreamPool, 'get'>, { server }: Target): Upstream {
  const upstream = pool.get(server);
  if (upstream === undefined) throw new CallFailure('SERVER_UNREACHABLE', notRunning(server));
  return upstream;
}

/** The server as it is at each moment: another may take its place while a call runs. */
export class ServerOfTarget implements Pick<Upstream, 'dispatch' | 'hold'> {
  readonly #pool: Pick<UpstreamPool, 'get'>;
  readonly #id: string;

  constructor(pool: Pick<UpstreamPool, 'get'>, { server }: Target) {
    this.#pool = pool;
    this.#id = server;
  }

  dispatch(...[request, deadline, handler, settle]: Parameters<Upstream['dispatch']>): void {
    const upstream = this.#pool.get(this.#id);
    if (upstream !== undefined) upstream.dispatch(request, deadline, handler, settle);
    else settle.resolve({ kind: 'unreachable', reason: notRunning(this.#id), sent: false });
  }

  /** Keeps the server, while it is configured, from being stopped as unused. */
  hold(): () => void {
    return this.#pool.get(this.#id)?.hold() ?? (() => {});
  }
}

function notRunning(server: string): string {
  return `server "${server}" is not running`;
}

/** @param signal that the request was sent under: its reason says why it was aborted @throws CallFailure */
export function answerOf(
  target: Target,
  outcome: SendOutcome,
  signal: AbortSignalLike,
  isKeyed: boolean,
): UpstreamAnswer {
  if (outcome.kind !== 'answered') throw failureOf(target, outcome, signal, isKeyed);
  const data = outcome.result;
  return { data, retry: retryOf(target, isKeyed, isInterim(data) ? 'unknown' : 'completed') };
}

type Failed = Exclude<SendOutcome, { readonly kind: 'answered' }>;

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
      return new CallFailure('SERVER_UNREACHABLE', outcome.reason, retry(outcome.sent ? 'unknown' : 'not_started'));
    case 'aborted': {
      const state = retry(outcome.sent ? 'unknown' : 'not_started');
      return signal.reason instanceof DeadlinePassed
        ? new CallFailure('UPSTREAM_TIMEOUT', timeoutMessage(server, signal.reason, outcome), state)
        : cancelled(signal, state);
    }
    case 'withheld':
      return new CallFailure('POLICY_DENIED', outcome.reason);
    case 'rejected':
      return rejected(target, outcome.error, retry('completed'));
  }
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

/** Characters of an error's data that are handed on. */
const maxErrorData = 16_384;

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

type Aborted = Extract<SendOutcome, { readonly kind: 'aborted' }>;

function timeoutMessage(server: string, { timeoutMs }: DeadlinePassed, { sent, waitedFor }: Aborted): string {
  const within = `within ${timeoutMs} ms (toolTimeoutMs)`;
  if (sent) return `server "${server}" did not answer ${within}`;
  if (waitedFor === undefined) return `no free place at server "${server}" ${within}`;
  return `server "${server}" could not be sent the call ${within}: ${waitedFor}`;
}
