// Waits for an upstream until it answers or asks; a call that is asked is parked until its caller comes back.
import { CallFailure } from '../../call/call.js';
import { retryOf } from '../../call/failures.js';
import { OperationCancelled } from '../../call/operations.js';
import type { Conversation, Questions } from '../../interaction/conversation.js';
import { toInputRequests } from '../../interaction/input-requests.js';
import { maxParked, type ParkedCall, type ParkedCalls } from '../../interaction/parked-calls.js';
import type { Contacting } from './contacting.js';
import { answerOf, type UpstreamAnswer } from './invoke.js';

/** What an upstream said so far. */
export interface TurnAnswer extends UpstreamAnswer {
  /** It waits for the caller, and these are its questions. */
  readonly isPaused: boolean;
}

/** The answer, or the questions that come first. @throws CallFailure as `invoke`, and INTERNAL_ERROR when too many wait */
export async function waitForTurn(
  parked: ParkedCalls,
  contacting: Contacting,
  call: Pick<ParkedCall, 'conversation' | 'line' | 'binding' | 'requestId'>,
): Promise<TurnAnswer> {
  const { target, operation, use, onLeft } = contacting;
  const { conversation } = call;
  const turn = await conversation.next(operation);
  const answer = (outcome: Awaited<Conversation['ended']>) =>
    answerOf(target, outcome, conversation.signal, use !== null);
  if (turn.kind === 'ended') return { ...answer(turn.outcome), isPaused: false };
  const state = parked.park({ ...call, use, onLeft: () => onLeft(conversation.ended.then(answer)) });
  if (state !== undefined) return interim(contacting, turn.questions, state);
  const message = `${maxParked} calls wait for answers already; answer or cancel some`;
  conversation.end(new OperationCancelled(message));
  throw new CallFailure('INTERNAL_ERROR', message, retryOf(target, use !== null, 'unknown'), { retryable: false });
}

export function interim({ target, use }: Contacting, questions: Questions, requestState: string): TurnAnswer {
  return {
    data: { resultType: 'input_required', inputRequests: toInputRequests(questions), requestState },
    retry: retryOf(target, use !== null, 'unknown'),
    isPaused: true,
  };
}
