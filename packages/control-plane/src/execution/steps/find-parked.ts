// A call that waits at its upstream, resumed by another request: by its state and with answers, or by its key.
import { CallFailure } from '../../call/call.js';
import { unrecordedMessage } from '../../call/failures.js';
import { checkAnswers } from '../../interaction/check-answers.js';
import { badState, type ParkedCall, type ParkedCalls, type ParkedRequest } from '../../interaction/parked-calls.js';
import { bindingOf } from '../../interaction/request-state.js';
import { retryOf } from '../../state/target.js';
import type { Attempt } from './classify.js';

export type WaitingCall<Request extends ParkedRequest> =
  | { readonly kind: 'resume'; readonly call: ParkedCall<Request> }
  /** The first request once more, under its key: the same questions again. */
  | { readonly kind: 'repeat'; readonly call: ParkedCall<Request>; readonly state: string };

/**
 * Undefined where nothing waits: the request is the first, or for an upstream that keeps nothing between requests.
 * @param isFirst whether nothing has been sent under the key before
 * @throws CallFailure INVALID_ARGS for a state that is not to be used, and for answers that are none: the call waits on
 */
export function findParked<Request extends ParkedRequest>(
  parked: ParkedCalls<Request>,
  { run: { call }, target, claim }: Attempt,
  isFirst: boolean,
): WaitingCall<Request> | undefined {
  const { requestState, inputResponses } = call;
  if (requestState !== undefined) {
    const binding = bindingOf(call, target);
    checkAnswers(parked.find(requestState, binding)?.request.open() ?? new Map(), inputResponses);
    const waiting = parked.take(requestState, binding);
    if (waiting !== undefined) return { kind: 'resume', call: waiting };
    if (!isFirst) throw badState(); // not ours, but the call that waits under the key is
    return undefined;
  }
  const same = claim === null ? undefined : parked.withKey(claim);
  if (same !== undefined) {
    if (same.call.request.open().size > 0) return { kind: 'repeat', ...same };
    // What it was asked, others have answered.
    const waiting = parked.take(same.state, same.call.binding);
    if (waiting !== undefined) return { kind: 'resume', call: waiting };
  }
  // Whatever became of what was sent before, nothing is sent under the key again.
  if (!isFirst) throw new CallFailure('INTERNAL_ERROR', unrecordedMessage, retryOf(target, true, 'unknown'));
  return undefined;
}
