// Takes one turn of a call at its upstream and makes its envelope: contact, distill, answer.
import { isQuestion } from '@portico/contracts';
import type { RunOnce } from '@portico/idempotency';
import { CallFailure } from '../../call/call.js';
import type { ApprovedTurns } from '../../interaction/approved-turns.js';
import { badState } from '../../interaction/parked-calls.js';
import { bindingOf } from '../../interaction/request-state.js';
import { answerEnvelope, failureEnvelope } from './answer.js';
import type { Attempt } from './classify.js';
import { type ConverseDeps, converse } from './converse.js';
import type { TurnEnvelope } from './dedupe.js';
import { distill } from './distill.js';
import type { Answer } from './invoke.js';
import type { Prepared } from './prepare.js';
import type { RecordDeps } from './record.js';
import { recordAbandoned } from './record-abandoned.js';
import { approvalIdOf } from './run.js';
import type { UpstreamCall } from './upstream-call.js';
import type { TurnAnswer } from './wait-for-turn.js';

export interface TurnDeps extends ConverseDeps, RecordDeps {
  readonly once: RunOnce;
  readonly approvedTurns: ApprovedTurns;
}

/**
 * Rejects only for a defect.
 * @param isFirst whether nothing has been sent under the key before
 */
export async function takeTurn(
  on: TurnDeps,
  attempt: Attempt,
  prepared: Prepared,
  isFirst: boolean,
): Promise<TurnEnvelope> {
  const { run } = attempt;
  const { correlation } = run.call;
  let isPaused = false;
  try {
    if (run.entry.kind === 'ticket') await run.entry.start();
    const answered = await contact(on, attempt, prepared, isFirst);
    isPaused = answered.isPaused;
    const answer = run.steps.run('distill', () => distill(answered, prepared.modifiers));
    return { envelope: run.steps.run('answer', () => answerEnvelope(correlation, answer)), isPaused };
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    return { envelope: run.steps.run('answer', () => failureEnvelope(correlation, error)), isPaused };
  }
}

function contact(on: TurnDeps, attempt: Attempt, prepared: Prepared, isFirst: boolean): Promise<TurnAnswer> {
  const { run, target, isGated } = attempt;
  const upstreamCall = new Turn(on, attempt, prepared, isFirst);
  const toServer = { server: target.server, request: prepared.request };
  const send = () => run.steps.invoke(toServer, (traced) => converse(on, upstreamCall, traced));
  return isGated ? contactApproved(on, attempt, send) : send();
}

/** An approval covers all rounds: those of an upstream that keeps nothing between requests are remembered by their state. */
async function contactApproved(
  on: TurnDeps,
  { run: { call }, target, args, isRound }: Attempt,
  send: () => Promise<TurnAnswer>,
): Promise<TurnAnswer> {
  const round = isRound ? call.requestState : undefined;
  // Another request was faster.
  if (round !== undefined && !on.approvedTurns.take(round, bindingOf(call, target))) throw badState();
  try {
    const answered = await send();
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

class Turn implements UpstreamCall {
  readonly call: UpstreamCall['call'];
  readonly target: UpstreamCall['target'];
  readonly operation: UpstreamCall['operation'];
  readonly use: UpstreamCall['use'];
  readonly isFirst: boolean;
  readonly #on: TurnDeps;
  readonly #attempt: Attempt;
  readonly #prepared: Prepared;

  constructor(on: TurnDeps, attempt: Attempt, prepared: Prepared, isFirst: boolean) {
    this.call = attempt.run.call;
    this.target = attempt.target;
    this.operation = attempt.run.operation;
    this.use = attempt.use;
    this.isFirst = isFirst;
    this.#on = on;
    this.#attempt = attempt;
    this.#prepared = prepared;
  }

  onAbandoned(answered: Promise<Answer>): Promise<void> {
    const { call, target, use } = this;
    const { state, entry } = this.#attempt.run;
    const shortened = answered.then((answer) => distill(answer, this.#prepared.modifiers));
    return recordAbandoned(this.#on, { call, target, use, state, approvalId: approvalIdOf(entry) }, shortened);
  }
}

function isUnsent(error: unknown): boolean {
  return error instanceof CallFailure && error.retry.upstream_execution_state === 'not_started';
}
