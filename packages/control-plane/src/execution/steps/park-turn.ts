// Parks a call whose upstream asks its caller something, until the caller comes back with the answers.
import { CallFailure } from '../../call/call.js';
import { OperationCancelled } from '../../call/operations.js';
import { toInputRequests } from '../../interaction/input-requests.js';
import type { ParkedCalls, ParkedRequest } from '../../interaction/parked-calls.js';
import type { Questions } from '../../interaction/pending-questions.js';
import { bindingOf } from '../../interaction/request-state.js';
import { retryOf } from '../../state/target.js';
import { shareUsedUp } from '../../waiting/share-used-up.js';
import type { Attempt } from './classify.js';
import { type AbandonDeps, recordAbandoned } from './record-abandoned.js';
import type { TurnAnswer } from './turn-answer.js';

export interface ParkDeps<Request extends ParkedRequest> extends AbandonDeps {
  readonly parked: ParkedCalls<Request>;
}

interface Parkable extends ParkedRequest {
  /** Under which it is cancelled. */
  readonly requestId: string | null;
  /** The answer to its caller at its end; rejects with CallFailure. */
  answerAtEnd(): Promise<TurnAnswer>;
}

/** The questions, with a state to come back with. @throws CallFailure INTERNAL_ERROR when too many wait */
export function parkTurn<Request extends Parkable>(
  on: ParkDeps<Request>,
  attempt: Attempt,
  request: Request,
): TurnAnswer {
  const { run, target, claim } = attempt;
  const { principal, actor } = run.call.caller;
  const kept = on.parked.park({
    request,
    binding: bindingOf(run.call, target),
    requestId: request.requestId,
    holder: [principal, target.server],
    claim,
    onAbandoned: () => recordAbandoned(on, attempt, request.answerAtEnd()),
  });
  if ('state' in kept) return interim(attempt, request.open(), kept.state);
  const owner = { principal: actor ?? principal, server: target.server };
  const message = `${shareUsedUp(kept.usedUp, 'calls that wait for answers', owner)}; answer or cancel some`;
  request.end(new OperationCancelled(message));
  throw new CallFailure('INTERNAL_ERROR', message, retryOf(target, claim !== null, 'unknown'), { retryable: false });
}

export function interim({ target, claim }: Attempt, questions: Questions, requestState: string): TurnAnswer {
  return {
    data: { resultType: 'input_required', inputRequests: toInputRequests(questions), requestState },
    retry: retryOf(target, claim !== null, 'unknown'),
    isPaused: true,
  };
}
