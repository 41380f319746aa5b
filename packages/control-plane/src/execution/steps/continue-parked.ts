// A call that waits at its upstream, continued by another request: by its state and with answers, or by its key.
import { CallFailure } from '../../call/call.js';
import { unrecordedMessage } from '../../call/failures.js';
import { checkAnswers } from '../../interaction/check-answers.js';
import { badState, type ParkedCalls, type ParkedRequest } from '../../interaction/parked-calls.js';
import { bindingOf } from '../../interaction/request-state.js';
import { retryOf } from '../../state/target.js';
import type { Attempt } from './classify.js';
import { interim } from './park-turn.js';
import type { TurnAnswer } from './turn-answer.js';

interface Resumable extends ParkedRequest {
  /** Another request takes the place of its caller, hands its answers in, and waits for the next turn. */
  resume(attempt: Attempt): Promise<TurnAnswer | CallFailure>;
}

/**
 * The next turn of the waiting call; undefined without one: the request is the first, or for an upstream that keeps
 * nothing between requests.
 * @param isFirst whether nothing has been sent under the key before
 * @throws CallFailure INVALID_ARGS for an unusable state, and for invalid answers: the call continues to wait
 */
export function continueParked<Request extends Resumable>(
  parked: ParkedCalls<Request>,
  attempt: Attempt,
  isFirst: boolean,
): Promise<TurnAnswer | CallFailure> | undefined {
  const { run, target, claim } = attempt;
  const { requestState, inputResponses } = run.call;
  if (requestState !== undefined) {
    const binding = bindingOf(run.call, target);
    checkAnswers(parked.find(requestState, binding)?.request.open() ?? new Map(), inputResponses);
    const waiting = parked.take(requestState, binding);
    if (waiting !== undefined) return waiting.request.resume(attempt);
    if (!isFirst) throw badState(); // not ours, but the call that waits under the key is
    return undefined;
  }
  const same = claim === null ? undefined : parked.withKey(claim);
  if (same !== undefined) {
    const open = same.call.request.open();
    // The first request once more, under its key: the same questions again.
    if (open.size > 0) return Promise.resolve(interim(attempt, open, same.state));
    // Its questions have been answered by others.
    const waiting = parked.take(same.state, same.call.binding);
    if (waiting !== undefined) return waiting.request.resume(attempt);
  }
  // Regardless of the outcome of the earlier request, nothing is sent under the key again.
  if (!isFirst) throw new CallFailure('INTERNAL_ERROR', unrecordedMessage, retryOf(target, true, 'unknown'));
  return undefined;
}
