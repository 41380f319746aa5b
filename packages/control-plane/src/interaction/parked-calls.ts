// Calls that wait at their upstream while their callers answer questions: found by the state that was given with the
// questions, once, by their own caller, within the time that a person may take. The end of one without its caller is
// reported to the code that parked it.
import { createShares, type Holder } from '@portico/async';
import type { IdempotencyClaim } from '@portico/idempotency';
import type { Clock } from '@portico/upstream-pool';
import { CallFailure } from '../call/call.js';
import { OperationCancelled, ServiceStopping } from '../call/operations.js';
import type { UsedUp } from '../waiting/share-used-up.js';
import type { Questions } from './pending-questions.js';
import type { RequestStates, StateBinding } from './request-state.js';

/** A request that waits at its upstream. */
export interface ParkedRequest {
  /** Open questions. */
  open(): Questions;
  /** Resolves once nothing is asked any more: it was answered elsewhere, or taken back. */
  answered(): Promise<void>;
  /** Cancels the request at the upstream. */
  end(reason: unknown): void;
  /** Settles when the request has ended. */
  ended(): Promise<unknown>;
}

export interface ParkedCall<Request extends ParkedRequest = ParkedRequest> {
  readonly request: Request;
  readonly binding: StateBinding;
  readonly requestId: string | null;
  /** Its principal and server. */
  readonly holder: Holder;
  /** The idempotency key in force; null for none. */
  readonly claim: IdempotencyClaim | null;
  /**
   * Called at once when no caller will resume the call any more; resolves when its outcome is stored. Never rejects.
   */
  readonly onAbandoned: () => Promise<void>;
}

export interface ParkedCalls<Request extends ParkedRequest = ParkedRequest> {
  /** Parks the call and returns the state that resumes it, or the name whose share of waiting calls is used up. */
  park(call: ParkedCall<Request>): { readonly state: string } | { readonly usedUp: UsedUp };
  /** The call that waits for a state that was made the same way. Takes nothing out. */
  find(state: string, binding: StateBinding): ParkedCall<Request> | undefined;
  /** Takes the call out: a state is used once. Undefined if the state is not ours. @throws CallFailure INVALID_ARGS */
  take(state: string, binding: StateBinding): ParkedCall<Request> | undefined;
  /** The call that waits under a key, and its state. */
  withKey(claim: IdempotencyClaim): { readonly state: string; readonly call: ParkedCall<Request> } | undefined;
  /** The key in force of the call that a principal's state belongs to. */
  keyOf(principal: string, state: string): IdempotencyClaim | undefined;
  /**
   * Resolves once the call that a state belongs to needs no answers any more: true if it goes on or has ended by
   * itself, false if it was ended here. Undefined if none waits.
   */
  goesOn(state: string): Promise<boolean> | undefined;
  /** Ends the call that a state belongs to. Whether there was one. */
  drop(state: string): Promise<boolean>;
  /** Ends what a principal has parked under a request id. Whether there was anything. */
  cancel(principal: string, requestId: string): Promise<boolean>;
  /** Ends all of them, and waits until their outcomes are kept. */
  close(): Promise<void>;
}

/** How long a caller may take to answer. */
export const parkedMs = 300_000;

interface Entry<Request extends ParkedRequest> {
  readonly call: ParkedCall<Request>;
  readonly forget: () => void;
  /** It was ended here, and does not continue. */
  isDropped: boolean;
}

export function createParkedCalls<Request extends ParkedRequest>(
  clock: Clock,
  states: RequestStates,
  randomHex: (characters: number) => string,
  limit: () => number,
): ParkedCalls<Request> {
  const shares = createShares(limit);
  const parked = new Map<string, Entry<Request>>();
  const leaving = new Set<Promise<void>>();

  const remove = (state: string): ParkedCall<Request> | undefined => {
    const entry = parked.get(state);
    if (entry === undefined) return undefined;
    entry.forget();
    parked.delete(state);
    shares.release(entry.call.holder);
    return entry.call;
  };

  const leave = (state: string, reason?: Error): Promise<void> => {
    const entry = parked.get(state);
    const call = remove(state);
    if (entry === undefined || call === undefined) return Promise.resolve();
    entry.isDropped = reason !== undefined;
    if (reason !== undefined) call.request.end(reason);
    const left = call.onAbandoned().finally(() => leaving.delete(left));
    leaving.add(left);
    return left;
  };

  const leaveAll = async (isMeant: (call: ParkedCall) => boolean, reason: Error): Promise<boolean> => {
    const meant = [...parked].filter(([, { call }]) => isMeant(call));
    await Promise.all(meant.map(([state]) => leave(state, reason)));
    return meant.length > 0;
  };

  const isOurs = (state: string, binding: StateBinding) => {
    const read = states.read(state, binding);
    return read.kind === 'ours' && read.subject === 'call';
  };

  return {
    park(call) {
      const refusal = shares.take(call.holder);
      if (refusal !== undefined) return { usedUp: { ...refusal, setting: 'parkedCalls', limit: limit() } };
      const state = states.mint('call', randomHex(32), call.binding);
      const forget = clock.after(parkedMs, () => {
        leave(state, new OperationCancelled(`no caller answered within ${parkedMs / 1000} s`));
      });
      const entry = { call, forget, isDropped: false };
      parked.set(state, entry);
      // From then on the key gives the outcome; without one the state still does.
      const settle = () => {
        if (call.claim !== null && parked.get(state) === entry) leave(state);
      };
      call.request.ended().then(settle, settle);
      return { state };
    },
    find: (state, binding) => (isOurs(state, binding) ? parked.get(state)?.call : undefined),
    take(state, binding) {
      if (states.read(state, binding).kind === 'foreign') return undefined;
      const call = isOurs(state, binding) ? remove(state) : undefined;
      if (call === undefined) throw badState();
      return call;
    },
    withKey({ scope, key }) {
      for (const [state, { call }] of parked) {
        if (call.claim?.key === key && call.claim.scope === scope) return { state, call };
      }
      return undefined;
    },
    keyOf(principal, state) {
      const call = parked.get(state)?.call;
      return call?.binding.principal === principal ? (call.claim ?? undefined) : undefined;
    },
    goesOn(state) {
      const entry = parked.get(state);
      if (entry === undefined) return undefined;
      const { request } = entry.call;
      return Promise.race([request.answered(), request.ended()]).then(() => !entry.isDropped);
    },
    async drop(state) {
      const isThere = parked.has(state);
      await leave(state, new OperationCancelled('the operation was cancelled'));
      return isThere;
    },
    cancel: (principal, requestId) =>
      leaveAll(
        (call) => call.binding.principal === principal && call.requestId === requestId,
        new OperationCancelled('the operation was cancelled'),
      ),
    async close() {
      await leaveAll(() => true, new ServiceStopping('the service is stopping'));
      await Promise.all(leaving);
    },
  };
}

export function badState(): CallFailure {
  return new CallFailure(
    'INVALID_ARGS',
    'request_state: it was changed, used before, is too old, or belongs to another call or idempotency key; call again without it',
  );
}
