// The call of an approval at its upstream. The approval covers all rounds: those of an upstream that keeps nothing between
// requests are remembered by their state.
import { isQuestion } from '@portico/contracts';
import { CallFailure } from '../../call/call.js';
import { asFailure } from '../../call/failures.js';
import type { ApprovedTurns } from '../../interaction/approved-turns.js';
import { badState } from '../../interaction/parked-calls.js';
import { bindingOf } from '../../interaction/request-state.js';
import type { Attempt } from './classify.js';
import { type ConverseDeps, converse } from './converse.js';
import type { TurnAnswer } from './turn-answer.js';

/** As `converse`; the run of a ticket is marked as started before. */
export async function converseApproved(
  on: ConverseDeps & { readonly approvedTurns: ApprovedTurns },
  attempt: Attempt,
  isFirst: boolean,
): Promise<TurnAnswer | CallFailure> {
  const { run, target, args, isGated, isRound } = attempt;
  const { call, entry } = run;
  if (entry.kind === 'ticket') {
    const failure = await entry.start().catch(asFailure);
    if (failure !== undefined) return failure;
  }
  if (run.granted !== undefined) {
    const failure = await run.granted.start();
    if (failure !== undefined) return failure;
  }
  const round = isRound ? call.requestState : undefined;
  // Another request was faster.
  if (round !== undefined && !on.approvedTurns.take(round, bindingOf(call, target))) return badState();
  const answered = await converse(on, attempt, isFirst);
  const next = answered instanceof CallFailure ? ofUnsent(answered, round) : ofQuestion(answered);
  if (isGated && next !== undefined) on.approvedTurns.add(next, bindingOf(call, target), args);
  return answered;
}

/** A round that was not sent can be taken again. */
function ofUnsent({ retry }: CallFailure, round: string | undefined): string | undefined {
  return retry.upstream_execution_state === 'not_started' ? round : undefined;
}

function ofQuestion({ data }: TurnAnswer): string | undefined {
  return isQuestion(data) && typeof data.requestState === 'string' ? data.requestState : undefined;
}
