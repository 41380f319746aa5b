// The outcome of a request at a server, and whether it counts against the server.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject, ServerTraits } from '@portico/contracts';
import type { ConnectionState } from './connection.js';
import { whyUnreachable } from './describe-upstream.js';
import {
  loginOf,
  NotSent,
  type PendingLogin,
  Unasked,
  UpstreamFailure,
  type UpstreamRpcError,
  Withheld,
} from './session.js';
import { DeadlinePassed } from './signals.js';

/** The outcome of a request. `sent` says whether it had left for the server. */
export type SendOutcome =
  | {
      readonly kind: 'answered';
      readonly result: JsonObject;
      /** The JSON text that it came as, where that may be passed on in its place. */
      readonly resultText?: string | undefined;
    }
  /** The server answered with a JSON-RPC error. */
  | { readonly kind: 'rejected'; readonly error: UpstreamRpcError }
  | {
      readonly kind: 'unreachable';
      readonly reason: string;
      readonly sent: boolean;
      /**
       * The server is `disabled`: it stays away until a user restarts it, or until it is tried again after `retryMs`.
       */
      readonly isDisabled?: true;
      /** Milliseconds between the attempts at a server whose restarts are used up; absent if there are none. */
      readonly retryMs?: number;
      /** It waits for a person, which says nothing about the server's health. */
      readonly login?: PendingLogin;
    }
  /** The server answered with an error after its own request could reach no caller. */
  | { readonly kind: 'unasked'; readonly reason: string }
  /** The request itself said that it must not be sent any more. */
  | { readonly kind: 'withheld'; readonly reason: string }
  | { readonly kind: 'circuit_open'; readonly failures: number; readonly remainingMs: number }
  /** Its principal has all of its share of the requests that wait for a place: the number held, of this limit. */
  | { readonly kind: 'queue_full'; readonly held: number; readonly limit: number }
  /** The signal aborted; its reason distinguishes a passed deadline from a cancel. */
  | {
      readonly kind: 'aborted';
      readonly sent: boolean;
      /** The resource that it waited for without getting it, where it was not sent but had a permit. */
      readonly waitedFor?: string;
      /** The reason why the server's earlier request reached no caller; its silence is no fault of it then. */
      readonly unasked?: string;
    };

/** An upstream as it is at each moment. */
export interface UpstreamState {
  connection: ConnectionState;
  isClosing: boolean;
  /** Its lists have changed and are not read yet: no call is sent. Only where a changed definition must not be used. */
  isListing: boolean;
  /** Facts that its last session had negotiated; undefined before the first. */
  traits: ServerTraits | undefined;
}

/** Why a call need not wait for the circuit or a permit; it asks for the link of a login that it would need. */
export function refusalOf(id: string, { connection, isClosing, traits }: UpstreamState): SendOutcome | undefined {
  const unsent = (reason: string) => ({ kind: 'unreachable', reason, sent: false }) as const;
  if (isClosing) return unsent(`server "${id}" is being stopped`);
  // The definitions that a call to it is checked against are unknown until it was read once, so no call waits for its start.
  if (connection.status === 'connecting' && traits === undefined) return unsent(`server "${id}" is still connecting`);
  if (connection.status !== 'degraded' || connection.login === undefined) return undefined;
  const { login } = connection;
  login.renew();
  return { ...unsent(whyUnreachable(id, connection)), login };
}

export function notConnected(id: string, connection: ConnectionState): SendOutcome {
  const outcome = { kind: 'unreachable', reason: whyUnreachable(id, connection), sent: false } as const;
  if (connection.status !== 'disabled') return outcome;
  const { retryMs } = connection;
  return { ...outcome, isDisabled: true, ...(retryMs === undefined ? {} : { retryMs }) };
}

/** @param isListing whether it waited for the changed lists of a server that has started */
export function notStarted({ reason }: AbortSignalLike, isListing = false): SendOutcome {
  const waitedFor = isListing ? 'its changed lists are not read yet' : 'it is still starting';
  return { kind: 'aborted', sent: false, ...(reason instanceof DeadlinePassed ? { waitedFor } : {}) };
}

/** A call that got its permit too late is not sent: its caller would not get the answer. */
export function expireUnsent(signal: AbortSignalLike): Promise<SendOutcome> {
  const outcome = { kind: 'aborted', sent: false } as const;
  if (signal.aborted) return Promise.resolve(outcome);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(outcome), { once: true }));
}

/** Time-outs and lost or missing connections count against the server. */
export function isFault(outcome: SendOutcome, signal: AbortSignalLike, hadToWait: boolean): boolean {
  if (outcome.kind === 'unreachable') return outcome.login === undefined;
  // After a wait for a permit or for its start the server had less than its full time.
  if (outcome.kind !== 'aborted' || outcome.unasked !== undefined) return false;
  return outcome.sent && !hadToWait && signal.reason instanceof DeadlinePassed;
}

export function toOutcome(error: unknown, signal: AbortSignalLike): SendOutcome {
  if (error instanceof Withheld) return { kind: 'withheld', reason: error.message };
  if (error instanceof Unasked) {
    const { message } = error;
    return signal.aborted ? { kind: 'aborted', sent: true, unasked: message } : { kind: 'unasked', reason: message };
  }
  if (signal.aborted && error instanceof NotSent) return { kind: 'aborted', sent: false, waitedFor: error.message };
  if (signal.aborted) return { kind: 'aborted', sent: !isUnsent(error) };
  if (!(error instanceof UpstreamFailure)) throw error;
  if (error.detail.kind === 'rejected') return { kind: 'rejected', error: error.detail.error };
  const login = loginOf(error);
  const outcome = { kind: 'unreachable', reason: error.message, sent: error.detail.sent } as const;
  return login === undefined ? outcome : { ...outcome, login };
}

/** Lost before it had left, and aborted before that was seen here. */
function isUnsent(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.detail.kind === 'unreachable' && !error.detail.sent;
}
