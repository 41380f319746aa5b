// The call of an approval at its upstream. The approval covers all rounds: those of an upstream that keeps nothing between
// requests are remembered by their state.
import { isQuestion } from '@portico/contracts';
import { CallFailure } from '../../call/call.js';
import type { ApprovedTurns } from '../../interaction/approved-turns.js';
import { badState } from '../../interaction/parked-calls.js';
import { bindingOf } from '../../interaction/request-state.js';
import type { Attempt } from './classify.js';
import { type ConverseDeps, converse } from './converse.js';
import type { TurnAnswer } from './turn-answer.js';

/** @throws CallFailure as `converse` */
export async function converseApproved(
  on: ConverseDeps & { readonly approvedTurns: ApprovedTurns },
  attempt: Attempt,
  isFirst: boolean,
): Promise<TurnAnswer> {
  const { run, target, args, isRound } = attempt;
  const { call } = run;
  const round = isRound ? call.requestState : undefined;
  // Another request was faster.
  if (round !== undefined && !on.approvedTurns.take(round, bindingOf(call, target))) throw badState();
  try {
    const answered = await converse(on, attempt, isFirst);
    const { requestState } = answered.data;
    if (isQuestion(answered.data) && typeof requestState === 'string') {
      on.approvedTurns.add(requestState, bindingOf(call, target), args);
    }
    return answered;
  } catch (error) {
    if (round !== undefined && isUnsent(error)) on.approvedTurns.add(round, bindingOf(call, target), args); // it can be taken again
    throw error;
  }
}

function isUnsent(error: unknown): boolean {
  return error instanceof CallFailure && error.retry.upstream_execution_state === 'not_started';
}
