// Takes one turn of a call at its upstream and makes its envelope: contact, distill, answer.
import { type Envelope, isQuestion } from '@portico/contracts';
import type { RunOnce } from '@portico/idempotency';
import { CallFailure } from '../../call/call.js';
import type { Pacer } from '../../call/pacer.js';
import type { ApprovedTurns } from '../../interaction/approved-turns.js';
import { badState } from '../../interaction/parked-calls.js';
import { bindingOf } from '../../interaction/request-state.js';
import { answerEnvelope, failureEnvelope } from './answer.js';
import type { Attempt } from './classify.js';
import { type ConverseDeps, converse } from './converse.js';
import type { TurnOutcome } from './dedupe.js';
import { type DistillDeps, distill, isShortened } from './distill.js';
import type { Answer } from './invoke.js';
import type { Prepared } from './prepare.js';
import type { RecordDeps } from './record.js';
import { recordAbandoned } from './record-abandoned.js';
import { approvalIdOf, type TicketEntry } from './run.js';
import type { UpstreamCall } from './upstream-call.js';
import type { TurnAnswer } from './wait-for-turn.js';

export interface TurnDeps extends ConverseDeps, RecordDeps, DistillDeps {
  readonly pacer: Pacer;
  readonly once: RunOnce;
  readonly approvedTurns: ApprovedTurns;
}

/**
 * Rejects, or throws, only for a defect.
 * @param isFirst whether nothing has been sent under the key before
 */
export function takeTurn(on: TurnDeps, attempt: Attempt, prepared: Prepared, isFirst: boolean): Promise<TurnOutcome> {
  const { entry } = attempt.run;
  const answered = (answer: TurnAnswer) => {
    const turn = isShortened(answer, prepared.modifiers) ? on.pacer.turn(attempt.run.call.caller.principal) : undefined;
    return turn === undefined
      ? endOf(on, attempt, prepared, answer)
      : turn.then(() => endOf(on, attempt, prepared, answer));
  };
  const failed = (error: unknown) => failureOf(attempt, error);
  try {
    const contacted =
      entry.kind === 'ticket'
        ? entry.start().then(() => contact(on, attempt, withCheck(prepared, entry), isFirst))
        : contact(on, attempt, prepared, isFirst);
    return contacted.then(answered, failed);
  } catch (error) {
    return Promise.resolve(failed(error));
  }
}

function withCheck(prepared: Prepared, { withhold }: TicketEntry): Prepared {
  return { ...prepared, request: { ...prepared.request, withhold } };
}

function endOf(on: DistillDeps, { run, target }: Attempt, { modifiers }: Prepared, answered: TurnAnswer): TurnOutcome {
  const { steps, call } = run;
  try {
    const answer = steps.run('distill', () => distill(on, target, answered, modifiers));
    return turnOutcome(
      steps.run('answer', () => answerEnvelope(call.correlation, answer)),
      answered.isPaused,
    );
  } catch (error) {
    return failureOf({ run }, error, answered.isPaused);
  }
}

/** @throws what is no failure of a call */
function failureOf({ run }: Pick<Attempt, 'run'>, error: unknown, isPaused = false): TurnOutcome {
  if (!(error instanceof CallFailure)) throw error;
  return turnOutcome(
    run.steps.run('answer', () => failureEnvelope(run.call.correlation, error)),
    isPaused,
  );
}

function turnOutcome(envelope: Envelope, isPaused: boolean): TurnOutcome {
  return isPaused ? { kind: 'answered', envelope, isPaused } : { kind: 'answered', envelope };
}

/** @throws CallFailure where it is not sent */
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
  readonly claim: UpstreamCall['claim'];
  readonly isFirst: boolean;
  readonly #on: TurnDeps;
  readonly #attempt: Attempt;
  readonly #prepared: Prepared;

  constructor(on: TurnDeps, attempt: Attempt, prepared: Prepared, isFirst: boolean) {
    this.call = attempt.run.call;
    this.target = attempt.target;
    this.operation = attempt.run.operation;
    this.claim = attempt.claim;
    this.isFirst = isFirst;
    this.#on = on;
    this.#attempt = attempt;
    this.#prepared = prepared;
  }

  onAbandoned(answered: Promise<Answer>): Promise<void> {
    const { call, target, claim } = this;
    const { state, entry } = this.#attempt.run;
    const shortened = answered.then((answer) => distill(this.#on, target, answer, this.#prepared.modifiers));
    return recordAbandoned(this.#on, { call, target, claim, state, approvalId: approvalIdOf(entry) }, shortened);
  }
}

function isUnsent(error: unknown): boolean {
  return error instanceof CallFailure && error.retry.upstream_execution_state === 'not_started';
}
