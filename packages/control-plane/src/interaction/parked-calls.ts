// Calls that wait at their upstream while their callers answer questions: found by the state that was given with the
// questions, once, by the caller that they belong to, for as long as a person may take.
import type { Clock } from '@portico/upstream-pool';
import { CallFailure } from '../call.js';
import { OperationCancelled, ServiceStopping } from '../operations.js';
import type { Conversation } from './conversation.js';
import type { Line } from './questioning.js';
import type { RequestStates, StateBinding } from './request-state.js';

export interface ParkedCall {
  readonly conversation: Conversation;
  /** Whoever takes the call up takes the line. */
  readonly line: Line;
  readonly binding: StateBinding;
  readonly requestId: string | null;
  /** Idempotency key in force; null for none. */
  readonly key: string | null;
}

export interface ParkedCalls {
  /** Keeps the call and gives the state to come back with. @throws CallFailure INTERNAL_ERROR when too many wait */
  park(call: ParkedCall): string;
  /** Whether a state belongs to a call that waits and was made the same way. Takes nothing out. */
  has(state: string, binding: StateBinding): boolean;
  /** Takes the call out: a state is used once. Undefined where the state is not ours. @throws CallFailure INVALID_ARGS */
  take(state: string, binding: StateBinding): ParkedCall | undefined;
  /** The state of the call that waits under a key of a principal. */
  stateOf(principal: string, key: string): { readonly state: string; readonly call: ParkedCall } | undefined;
  /** Ends the call that a state belongs to. */
  drop(state: string): void;
  /** Ends what a principal has parked under a request id. Whether there was anything. */
  cancel(principal: string, requestId: string): boolean;
  /** Ends all of them. */
  close(): void;
}

/** How long a caller may take to answer. */
export const parkedMs = 300_000;
export const maxParked = 1000;

interface Entry {
  readonly call: ParkedCall;
  readonly state: string;
  readonly forget: () => void;
}

export function createParkedCalls(
  clock: Clock,
  states: RequestStates,
  randomHex: (characters: number) => string,
): ParkedCalls {
  const parked = new Map<string, Entry>();

  const remove = (id: string): ParkedCall | undefined => {
    const entry = parked.get(id);
    entry?.forget();
    parked.delete(id);
    return entry?.call;
  };

  const endAll = (isMeant: (call: ParkedCall) => boolean, reason: Error): boolean => {
    const meant = [...parked].filter(([, { call }]) => isMeant(call));
    for (const [id] of meant) remove(id)?.conversation.end(reason);
    return meant.length > 0;
  };

  return {
    park(call) {
      if (parked.size >= maxParked) {
        call.conversation.end(new OperationCancelled('too many calls wait for answers'));
        throw new CallFailure('INTERNAL_ERROR', `${maxParked} calls wait for answers already; answer or cancel some`);
      }
      const id = randomHex(32);
      const state = states.mint('call', id, call.binding);
      const forget = clock.after(parkedMs, () => {
        remove(id)?.conversation.end(new OperationCancelled(`nobody answered within ${parkedMs / 1000} s`));
      });
      parked.set(id, { call, state, forget });
      return state;
    },
    has(state, binding) {
      const read = states.read(state, binding);
      return read.kind === 'ours' && read.subject === 'call' && parked.has(read.id);
    },
    take(state, binding) {
      const read = states.read(state, binding);
      if (read.kind === 'foreign') return undefined;
      const call = read.kind === 'ours' && read.subject === 'call' ? remove(read.id) : undefined;
      if (call === undefined) throw badState();
      return call;
    },
    stateOf(principal, key) {
      for (const { call, state } of parked.values()) {
        if (call.key === key && call.binding.principal === principal) return { state, call };
      }
      return undefined;
    },
    drop(state) {
      const found = [...parked].find(([, entry]) => entry.state === state);
      if (found !== undefined)
        remove(found[0])?.conversation.end(new OperationCancelled('the operation was cancelled'));
    },
    cancel: (principal, requestId) =>
      endAll(
        (call) => call.binding.principal === principal && call.requestId === requestId,
        new OperationCancelled('the operation was cancelled'),
      ),
    close() {
      endAll(() => true, new ServiceStopping('the service is stopping'));
    },
  };
}

export function badState(): CallFailure {
  return new CallFailure(
    'INVALID_ARGS',
    'request_state: it was changed, used before, is too old, or belongs to another call; call again without it',
  );
}
