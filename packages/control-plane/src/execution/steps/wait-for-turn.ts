// Waits for an upstream until it answers or asks; a call that is asked is parked until its caller comes back.
import { CallFailure } from '../../call/call.js';
import { retryOf } from '../../call/failures.js';
import { OperationCancelled } from '../../call/operations.js';
import { toInputRequests } from '../../interaction/input-requests.js';
import type { ParkedCall, ParkedCalls } from '../../interaction/parked-calls.js';
import type { PendingRequest, Questions, Turn } from '../../interaction/pending-request.js';
import { bindingOf } from '../../interaction/request-state.js';
import { shareUsedUp } from '../../waiting/share-used-up.js';
import { answerOf, type UpstreamAnswer } from './invoke.js';
import type { UpstreamCall } from './upstream-call.js';

/** What an upstream said so far. */
export interface TurnAnswer extends UpstreamAnswer {
  /** It waits for the caller, and these are its questions. */
  readonly isPaused: boolean;
}

/** The answer, or the questions that come first. @throws CallFailure as `invoke`, and INTERNAL_ERROR when too many wait */
export function waitForTurn(
  parked: ParkedCalls,
  upstreamCall: UpstreamCall,
  call: Pick<ParkedCall, 'request' | 'channel' | 'requestId'>,
): Promise<TurnAnswer> {
  return call.request.next(upstreamCall.operation, (turn) => answerOfTurn(parked, upstreamCall, call, turn));
}

function answerOfTurn(
  parked: ParkedCalls,
  upstreamCall: UpstreamCall,
  { request, channel, requestId }: Pick<ParkedCall, 'request' | 'channel' | 'requestId'>,
  turn: Turn,
): TurnAnswer {
  const { target, claim } = upstreamCall;
  if (turn.kind === 'ended') {
    const { data, retry } = answerOf(target, turn.outcome, request.signal, claim !== null);
    return { data, retry, isPaused: false };
  }
  const binding = bindingOf(upstreamCall.call, target);
  const onAbandoned = () => upstreamCall.onAbandoned(answerAtEnd(upstreamCall, request));
  const { principal, actor } = upstreamCall.call.caller;
  const holder = [principal, target.server];
  const kept = parked.park({ request, channel, binding, requestId, holder, claim, onAbandoned });
  if ('state' in kept) return interim(upstreamCall, turn.questions, kept.state);
  const owner = { principal: actor ?? principal, server: target.server };
  const message = `${shareUsedUp(kept.usedUp, 'calls that wait for answers', owner)}; answer or cancel some`;
  request.end(new OperationCancelled(message));
  throw new CallFailure('INTERNAL_ERROR', message, retryOf(target, claim !== null, 'unknown'), { retryable: false });
}

async function answerAtEnd({ target, claim }: UpstreamCall, request: PendingRequest): Promise<UpstreamAnswer> {
  return answerOf(target, await request.ended(), request.signal, claim !== null);
}

export function interim({ target, claim }: UpstreamCall, questions: Questions, requestState: string): TurnAnswer {
  return {
    data: { resultType: 'input_required', inputRequests: toInputRequests(questions), requestState },
    retry: retryOf(target, claim !== null, 'unknown'),
    isPaused: true,
  };
}
