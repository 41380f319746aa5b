// The life of a call, top to bottom: record, resolve, authorize, prepare, classify, then approve, or dedupe and take a
// turn at the upstream: converse, distill, answer.
import { errorEnvelope, successEnvelope } from '@portico/contracts';
import type { IdempotencyClaim, RunOnce } from '@portico/idempotency';
import { type Call, CallFailure, type Outcome } from '../call/call.js';
import { isInterim } from '../call/interim.js';
import type { Pacer } from '../call/pacer.js';
import { defectEnvelope } from '../observability/defect.js';
import type { PlaneState } from '../state/plane-state.js';
import { authorize, resolve, retryOf } from '../state/target.js';
import { approve, keyTaken } from './steps/approve.js';
import type { ApproveDeps } from './steps/ask-approval.js';
import { type Attempt, approvedRound, type ClassifyDeps, classify } from './steps/classify.js';
import { type ConverseDeps, converse } from './steps/converse.js';
import { converseApproved } from './steps/converse-approved.js';
import { dedupe, replay, type TurnOutcome } from './steps/dedupe.js';
import { distill } from './steps/distill.js';
import type { Entry } from './steps/entry.js';
import { type CheckDeps, prepare, turnToCheck } from './steps/prepare.js';
import { Run, type RunDeps } from './steps/record.js';
import type { TurnAnswer } from './steps/turn-answer.js';

export interface Execution extends Omit<RunDeps & ClassifyDeps, 'parked'>, CheckDeps, ApproveDeps, ConverseDeps {
  readonly pacer: Pacer;
  readonly once: RunOnce;
}

const request: Entry = { kind: 'request' };

/** Runs a tool call, resource read or prompt on one snapshot of the state. Never rejects. */
export async function execute(on: Execution, state: PlaneState, given: Call, entry = request): Promise<Outcome> {
  const run = new Run(on, state, given, entry);
  const { call, trace } = run;
  let outcome: Outcome;
  try {
    const room = run.begin();
    if (room !== undefined) await room;
    trace?.enter('resolve');
    const target = resolve(state, call.caller, call.kind, call.id);
    run.target = target;
    trace?.resolved(target);
    trace?.enter('authorize');
    const permission = authorize(state, call, target);
    trace?.leave();
    const turn = turnToCheck(on, run, target);
    if (turn !== undefined) await turn;
    const round = call.requestState === undefined ? undefined : approvedRound(on, run, target);
    trace?.enter('prepare');
    const prepared = prepare(on.validator, target, round ?? call.args);
    trace?.leave();
    const attempt = classify(on, run, { target, permission, round, prepared });
    if (!attempt.needsApproval) run.args = attempt.args;
    if (attempt.needsApproval) outcome = await replayOrApprove(on, attempt);
    else if (attempt.claim === null) outcome = await takeTurn(on, attempt, true);
    else outcome = await takeTurnOnce(on, attempt, attempt.claim);
  } catch (error) {
    return run.fail(error);
  }
  return run.end(outcome);
}

/** A gated call whose key has an answer already needs no approval. */
async function replayOrApprove(on: Execution, attempt: Attempt): Promise<Outcome> {
  const { run, target, claim } = attempt;
  const { signal } = run.operation;
  const stored = claim && (await run.around('dedupe', () => replay(on.once, claim, target, signal)));
  if (stored) return stored;
  const { outcome, isAudited } = await run.around('approve', () => approve(on, attempt));
  run.isAudited = isAudited;
  return outcome;
}

/** Once for its key, a further turn included. @throws CallFailure INVALID_ARGS where the key waits for an approval */
async function takeTurnOnce(on: Execution, attempt: Attempt, claim: IdempotencyClaim): Promise<Outcome> {
  const { run, target } = attempt;
  const { call, operation } = run;
  if (run.entry.kind === 'request' && on.approvals.isTaken(claim)) throw keyTaken(claim.key);
  const turn = async (isFirst: boolean): Promise<TurnOutcome> => {
    try {
      return await takeTurn(on, attempt, isFirst);
    } catch (error) {
      // Under a key a defect is an outcome as well: the call may have been sent, and must not be sent again.
      const envelope = defectEnvelope(on.log, call.correlation, error, retryOf(target, true, 'unknown'), false);
      return { kind: 'answered', envelope };
    }
  };
  const input = { call, target, epochMs: on.clock.epochMs(), signal: operation.signal };
  return run.around('dedupe', () => dedupe(on.once, claim, input, turn));
}

/**
 * Takes one turn of a call at its upstream. Rejects, or throws, only for a defect.
 * @param isFirst whether nothing has been sent under the key before
 */
function takeTurn(on: Execution, attempt: Attempt, isFirst: boolean): Promise<TurnOutcome> {
  const { run, isGated, prepared } = attempt;
  try {
    const contact = isGated ? converseApproved : converse;
    const answering =
      run.entry.kind === 'ticket'
        ? run.entry.start().then(() => contact(on, attempt, isFirst))
        : contact(on, attempt, isFirst);
    const ready = prepared.modifiers === undefined ? answering : untilItsTurn(on, attempt, answering);
    return ready.then(
      (answered) => endTurn(on, attempt, answered),
      (error: unknown) => failTurn(attempt, error, false),
    );
  } catch (error) {
    return Promise.resolve(failTurn(attempt, error, false));
  }
}

/** An answer that is to be shortened waits until that holds up no other call. */
async function untilItsTurn(on: Execution, { run }: Attempt, answering: Promise<TurnAnswer>): Promise<TurnAnswer> {
  const answered = await answering;
  if (!isInterim(answered.data)) await on.pacer.turn(run.call.caller.principal);
  return answered;
}

/** Distills the answer, and makes the envelope of the turn. @throws what is no failure of a call */
function endTurn(on: Execution, attempt: Attempt, answered: TurnAnswer): TurnOutcome {
  const { run, target, prepared } = attempt;
  const { modifiers } = prepared;
  const { call, trace } = run;
  trace?.enter('distill');
  try {
    const { data, retry } = modifiers === undefined ? answered : distill(on, target, answered, modifiers);
    trace?.enter('answer');
    const envelope = successEnvelope(call.correlation, retry, data);
    trace?.leave();
    return answered.isPaused ? { kind: 'answered', envelope, isPaused: true } : { kind: 'answered', envelope };
  } catch (error) {
    return failTurn(attempt, error, answered.isPaused);
  }
}

/** @throws what is no failure of a call */
function failTurn({ run }: Attempt, error: unknown, isPaused: boolean): TurnOutcome {
  const { call, trace } = run;
  trace?.fail(error);
  if (!(error instanceof CallFailure)) throw error;
  trace?.enter('answer');
  const envelope = errorEnvelope(call.correlation, error.retry, error);
  trace?.leave();
  return isPaused ? { kind: 'answered', envelope, isPaused } : { kind: 'answered', envelope };
}
