// The life of a call, top to bottom: record, resolve, authorize, prepare, classify, then approve, or dedupe and take a
// turn at the upstream: converse, distill, answer.
import { errorEnvelope, successEnvelope } from '@portico/contracts';
import type { IdempotencyClaim, RunOnce } from '@portico/idempotency';
import { type Call, CallFailure, type Outcome } from '../call/call.js';
import { asFailure } from '../call/failures.js';
import { isInterim } from '../call/interim.js';
import type { Pacer } from '../call/pacer.js';
import { defectEnvelope } from '../observability/defect.js';
import type { CompiledGrants } from '../state/grant-rules.js';
import { refusalOf, shadowOf } from '../state/permit.js';
import type { PlaneState } from '../state/plane-state.js';
import { authorize, resolve, retryOf } from '../state/target.js';
import { type AnswerByGrantDeps, answerByGrant } from './steps/answer-by-grant.js';
import { approve, keyTaken } from './steps/approve.js';
import type { ApproveDeps } from './steps/ask-approval.js';
import { type Attempt, approvedRound, type ClassifyDeps, classify } from './steps/classify.js';
import { type ConverseDeps, converse } from './steps/converse.js';
import { converseApproved } from './steps/converse-approved.js';
import { dedupe, replay, type TurnOutcome } from './steps/dedupe.js';
import { distill } from './steps/distill.js';
import type { Entry } from './steps/entry.js';
import { type MeterDeps, meter } from './steps/meter.js';
import type { Metered } from './steps/metered.js';
import { permitArguments } from './steps/permit-arguments.js';
import { type CheckDeps, prepare, turnToCheck, turnToSend } from './steps/prepare.js';
import { Run, type RunDeps } from './steps/record.js';
import type { TurnAnswer } from './steps/turn-answer.js';

export interface Execution
  extends Omit<RunDeps & ClassifyDeps, 'parked'>,
    CheckDeps,
    ApproveDeps,
    AnswerByGrantDeps,
    ConverseDeps,
    MeterDeps {
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
    const byNames = authorize(state, call, target);
    if (byNames.verdict === 'deny' || byNames.verdict === 'not_found') throw refusalOf(byNames, call);
    const shadow = state.policy.shadow && shadowOf(state.policy.shadow, call, target, byNames);
    if (shadow !== undefined) run.shadow = shadow;
    trace?.leave();
    const turn = turnToCheck(on, run, target);
    if (turn !== undefined) await turn;
    const round = call.requestState === undefined ? undefined : approvedRound(on, run, target);
    trace?.enter('prepare');
    const prepared = prepare(on.validator, state.config.servers, target, round ?? call.args);
    if (prepared.coerced !== undefined) run.coerced = prepared.coerced;
    trace?.leave();
    const permission = state.policy.argumentRules === undefined ? byNames : permitArguments(run, target, prepared.args);
    if (run.isHuge) await turnToSend(on, run);
    const classified = classify(on, run, { target, permission, round, prepared });
    run.args = classified.args;
    const attempt = state.policy.usage === undefined ? classified : await meter(on, state.policy.usage, classified);
    if (attempt.needsApproval) outcome = await replayOrApprove(on, attempt);
    else if (attempt.claim !== null) outcome = await takeTurnOnce(on, attempt, attempt.claim);
    else outcome = endTurn(on, attempt, await takeTurn(on, attempt, true));
    if (attempt.metered !== undefined) outcome = attempt.metered.answered(outcome);
  } catch (error) {
    if (run.isHuge) await on.pacer.laterTurn(call.caller.principal);
    return run.fail(error);
  }
  if (run.isHuge) await on.pacer.laterTurn(call.caller.principal);
  return run.end(outcome);
}

/** Replays the stored answer of the key; without one, the gated call requires an approval. */
async function replayOrApprove(on: Execution, attempt: Attempt): Promise<Outcome> {
  const { run, target, claim } = attempt;
  const { signal } = run.operation;
  const stored = claim && (await run.around('dedupe', () => replay(on.once, claim, target, signal)));
  if (stored && !isWithheldBefore(stored)) return stored;
  if (attempt.metered !== undefined) await attempt.metered.check();
  const rules = run.state.policy.grants;
  const answered = rules === undefined ? undefined : await runGranted(on, attempt, rules);
  if (answered !== undefined) return answered;
  const { outcome, isAudited } = await run.around('approve', () => approve(on, attempt));
  run.isAudited = isAudited;
  return outcome;
}

/** Runs a call that a grant answers; undefined if a person has to be asked. */
async function runGranted(on: Execution, attempt: Attempt, rules: CompiledGrants): Promise<Outcome | undefined> {
  const { run, claim } = attempt;
  const use = await answerByGrant(on, attempt, rules);
  if (use === undefined) return undefined;
  run.granted = use;
  try {
    const outcome =
      claim === null ? endTurn(on, attempt, await takeTurn(on, attempt, true)) : await takeTurnOnce(on, attempt, claim);
    return use.isLost || isWithheldBefore(outcome) ? undefined : outcome;
  } finally {
    use.end();
    if (use.isLost) run.granted = undefined;
  }
}

/**
 * Whether a repeat joined a call under its key that was not sent, since its grant had ended or its definition had changed:
 * a person is asked about both.
 */
function isWithheldBefore({ kind, envelope: { error, retry } }: Outcome): boolean {
  if (kind !== 'replayed' || error?.code !== 'POLICY_DENIED') return false;
  const isWithheld = error.reason === undefined || error.reason === 'definition_changed';
  return isWithheld && retry.upstream_execution_state === 'not_started';
}

/** Takes the turn once for its key, also a further turn. @throws CallFailure INVALID_ARGS if the key waits for an approval */
async function takeTurnOnce(on: Execution, attempt: Attempt, claim: IdempotencyClaim): Promise<Outcome> {
  const { run, target } = attempt;
  const { call, operation } = run;
  if (run.entry.kind === 'request' && on.approvals.isTaken(claim)) throw keyTaken(claim.key);
  const turn = async (isFirst: boolean): Promise<TurnOutcome> => {
    try {
      return endTurn(on, attempt, await takeTurn(on, attempt, isFirst));
    } catch (error) {
      // Under a key a defect is an outcome as well: the call may have been sent, and must not be sent again.
      run.trace?.fail(error);
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
 * @param isCounted whether the rules on usage have counted it
 */
function takeTurn(
  on: Execution,
  attempt: Attempt,
  isFirst: boolean,
  isCounted = false,
): Promise<TurnAnswer | CallFailure> {
  const { run, isGated, prepared, metered } = attempt;
  if (metered !== undefined && !isCounted) return takeMeteredTurn(on, attempt, metered, isFirst);
  const isApproved = isGated || run.entry.kind === 'ticket';
  const answering = isApproved
    ? converseApproved(on, attempt, isFirst)
    : run.isLarge
      ? sendMany(on, attempt, isFirst)
      : converse(on, attempt, isFirst);
  return prepared.modifiers === undefined ? answering : untilItsTurn(on, run, answering);
}

/** Takes a turn that the rules on usage allow, and counts it. The reservation of a turn that ends in a defect stays charged. */
async function takeMeteredTurn(
  on: Execution,
  attempt: Attempt,
  metered: Metered,
  isFirst: boolean,
): Promise<TurnAnswer | CallFailure> {
  const refused = await metered.begin();
  if (refused !== undefined) return refused;
  const answered = await takeTurn(on, attempt, isFirst, true);
  await metered.ended(answered);
  return answered;
}

function sendMany(on: Execution, attempt: Attempt, isFirst: boolean): Promise<TurnAnswer | CallFailure> {
  return attempt.run.overMany('sending the arguments', () => converse(on, attempt, isFirst));
}

/** Delays the shortening of an answer until it blocks no other call. */
async function untilItsTurn(
  { pacer }: Execution,
  { call, trace }: Run,
  answering: Promise<TurnAnswer | CallFailure>,
): Promise<TurnAnswer | CallFailure> {
  const answered = await answering;
  if (answered instanceof CallFailure || isInterim(answered.data)) return answered;
  trace?.leave();
  await pacer.turn(call.caller.principal);
  return answered;
}

/** Builds the envelope of a turn from the distilled answer, or from the failure. @throws every error but a CallFailure */
function endTurn(on: Execution, attempt: Attempt, answered: TurnAnswer | CallFailure): TurnOutcome {
  const { run, target, prepared } = attempt;
  if (answered instanceof CallFailure) return failTurn(run, answered);
  const { call, trace } = run;
  run.isToolError = answered.data.isError === true;
  try {
    trace?.enter('distill');
    const { modifiers } = prepared;
    const { data, dataText, retry } = modifiers === undefined ? answered : distill(on, target, answered, modifiers);
    trace?.enter('answer');
    const envelope = successEnvelope(call.correlation, retry, data);
    trace?.leave();
    return answered.isPaused
      ? { kind: 'answered', envelope, isPaused: true }
      : { kind: 'answered', envelope, dataText };
  } catch (error) {
    return failTurn(run, asFailure(error)); // a paused answer is not distilled
  }
}

function failTurn({ call, trace }: Run, failure: CallFailure): TurnOutcome {
  trace?.fail(failure);
  trace?.enter('answer');
  const envelope = errorEnvelope(call.correlation, failure.retry, failure);
  trace?.leave();
  return { kind: 'answered', envelope };
}
