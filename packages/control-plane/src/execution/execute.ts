// The life of a call, top to bottom: record, resolve, authorize, prepare, dedupe, approve, invoke, distill, answer.
import { isQuestion, type JsonObject } from '@portico/contracts';
import type { KeyUse, RunOnce } from '@portico/idempotency';
import { type Call, CallFailure, type Outcome } from '../call/call.js';
import { retryOf } from '../call/failures.js';
import { keyOf, useOf } from '../call/keys.js';
import type { Target } from '../call/target.js';
import type { ApprovedTurns } from '../interaction/approved-turns.js';
import { badState } from '../interaction/parked-calls.js';
import { bindingOf, type RequestStates } from '../interaction/request-state.js';
import { defectEnvelope } from '../observability/defect.js';
import { type ObserveDeps, observeCall } from '../observability/observe-call.js';
import type { Steps } from '../observability/tracing/steps.js';
import type { PlaneState } from '../state/plane-state.js';
import { resolve } from '../state/target.js';
import { toEnvelope } from './steps/answer.js';
import { approve, keyTaken, toDraft } from './steps/approve.js';
import type { ApproveDeps } from './steps/ask-approval.js';
import { authorize } from './steps/authorize.js';
import type { Contacting } from './steps/contacting.js';
import { type ConverseDeps, converse } from './steps/converse.js';
import { dedupe, replay, type TurnEnvelope } from './steps/dedupe.js';
import { distill } from './steps/distill.js';
import type { Answer } from './steps/invoke.js';
import { type Prepared, prepare } from './steps/prepare.js';
import { type Ended, type Identity, type RecordDeps, record } from './steps/record.js';
import { settleLeft } from './steps/settle-left.js';
import type { ArgumentValidator } from './steps/validate-arguments.js';
import type { TurnAnswer } from './steps/wait-for-turn.js';

export interface Execution extends RecordDeps, ObserveDeps, ConverseDeps, ApproveDeps {
  readonly validator: ArgumentValidator;
  readonly once: RunOnce;
  readonly approvedTurns: ApprovedTurns;
}

/** An approved ticket whose call this is. */
export interface Approved {
  readonly approvalId: string;
  /** The key the call had when it was gated, with the fingerprint of its arguments then. */
  readonly use: KeyUse | null;
  /** Called just before the upstream is contacted. @throws CallFailure when the call has been started before, or cannot be marked so */
  readonly start: () => Promise<void>;
}

/** Runs a tool call, resource read or prompt on one snapshot of the state. Never rejects. */
export async function execute(on: Execution, state: PlaneState, given: Call, approved?: Approved): Promise<Outcome> {
  const { call, steps, resolved, ended } = observeCall(on, state, given, approved?.approvalId ?? null);
  const { requestState, caller } = call;
  const continued = requestState === undefined ? undefined : on.parked.keyOf(caller.principal, requestState);
  const identify = (): Identity =>
    approved === undefined
      ? { key: keyInForce(call, continued), isKeyGiven: call.idempotencyKey !== null, approvalId: null }
      : { key: approved.use?.key ?? null, isKeyGiven: true, approvalId: approved.approvalId };

  const outcome = await record(on, state, call, identify, async (operation, key): Promise<Ended> => {
    const target = resolved(steps.run('resolve', () => resolve(state, caller, call.kind, call.id)));
    const permission = steps.run('authorize', () => authorize(state, call, target));
    const isGated = permission === 'require_approval';
    const turn = approved === undefined ? approvedTurn(on, call, target) : undefined;
    const args = turn ?? call.args; // what was approved is sent, however it differs from what was asked for
    const prepared = steps.run('prepare', () => prepare(on.validator, target, args));
    refuseForeignState(on.states, call, target);
    const use = approved !== undefined ? approved.use : useInForce(call, target, key, continued);

    if (isGated && approved === undefined && turn === undefined && !continuesApproved(on, call, target, use)) {
      const stored =
        use === null ? undefined : await steps.wait('dedupe', () => replay(on.once, use, target, operation.signal));
      if (stored !== undefined) return { outcome: stored, isAudited: false };
      const mayDecide = state.policy.isAdmin(call.caller.role);
      const draft = toDraft(state, call, target, use, on.clock.epochMs());
      return steps.wait('approve', () => approve(on, target, draft, call, operation, mayDecide));
    }

    if (approved === undefined && use !== null && on.approvals.isTaken(use)) throw keyTaken(use.key);
    const approvalId = approved?.approvalId ?? null;
    const gated: Gated | undefined = isGated ? { args, isTurn: turn !== undefined } : undefined;
    const run = async (isFirst: boolean): Promise<TurnEnvelope> => {
      let isPaused = false;
      const ask = async () => {
        await approved?.start();
        const onLeft = (answered: Promise<Answer>) => {
          const shortened = answered.then((answer) => distill(answer, prepared.modifiers));
          return settleLeft(on, { call, target, use, state, approvalId }, shortened);
        };
        const contacting = { call, target, operation, use, isFirst, onLeft };
        const answered = await contact(on, steps, contacting, prepared, gated);
        isPaused = answered.isPaused;
        return steps.run('distill', () => distill(answered, prepared.modifiers));
      };
      return { envelope: await toEnvelope(call.correlation, ask(), steps), isPaused };
    };
    if (use === null)
      return { outcome: { kind: 'answered', envelope: (await run(true)).envelope }, isAudited: false, args };
    const input = { call, target, epochMs: on.clock.epochMs(), signal: operation.signal };
    // Under a key a defect is an outcome as well: the call may have been sent, and must not be sent again.
    const keyed = (isFirst: boolean) =>
      run(isFirst).catch((error: unknown) => ({
        envelope: defectEnvelope(on.log, call.correlation, error, retryOf(target, true, 'unknown'), false),
        isPaused: false,
      }));
    const once = await steps.wait('dedupe', () => dedupe(on.once, use, input, keyed));
    return { outcome: once, isAudited: false, args };
  });
  return ended(outcome);
}

/** A call that waits at its upstream goes on under the key that it was begun with, however its requests are called. */
function keyInForce(call: Call, continued: KeyUse | undefined): string | null {
  return call.idempotencyKey === null && continued !== undefined ? continued.key : keyOf(call);
}

function useInForce(call: Call, target: Target, key: string | null, continued: KeyUse | undefined): KeyUse | null {
  if (key === null) return null;
  return continued?.key === key ? continued : useOf(call, target, key);
}

/** Before a stored answer is given: the state may be of a call under another key. @throws CallFailure INVALID_ARGS */
function refuseForeignState(states: RequestStates, call: Call, target: Target): void {
  const { requestState } = call;
  if (requestState !== undefined && states.read(requestState, bindingOf(call, target)).kind === 'invalid')
    throw badState();
}

/** A call that was approved: before, or as a turn of one that was. */
interface Gated {
  /** What was approved. */
  readonly args: JsonObject;
  readonly isTurn: boolean;
}

/** An approval covers all turns: those of an upstream that keeps nothing between requests are remembered by their state. */
async function contact(
  on: Execution,
  steps: Steps,
  contacting: Contacting,
  { request }: Prepared,
  gated: Gated | undefined,
): Promise<TurnAnswer> {
  const { call, target } = contacting;
  const binding = bindingOf(call, target);
  const taken = gated?.isTurn === true ? call.requestState : undefined;
  if (taken !== undefined && !on.approvedTurns.take(taken, binding)) throw badState(); // somebody else was faster
  const answered = await steps
    .invoke({ server: target.server, request }, (traced) => converse(on, contacting, traced))
    .catch((error: unknown) => {
      if (gated !== undefined && taken !== undefined && isUnsent(error)) {
        on.approvedTurns.add(taken, binding, gated.args); // it can be taken again
      }
      throw error;
    });
  const { requestState } = answered.data;
  if (gated !== undefined && isQuestion(answered.data) && typeof requestState === 'string') {
    on.approvedTurns.add(requestState, binding, gated.args);
  }
  return answered;
}

function isUnsent(error: unknown): boolean {
  return error instanceof CallFailure && error.retry.upstream_execution_state === 'not_started';
}

/** The approved arguments of a turn at an upstream that keeps nothing between requests. */
function approvedTurn({ approvedTurns }: Execution, call: Call, target: Target): JsonObject | undefined {
  const { requestState } = call;
  return requestState === undefined ? undefined : approvedTurns.find(requestState, bindingOf(call, target));
}

/** An answer to what an approved call that waits has asked, or its first request once more, under its key. */
function continuesApproved({ parked }: Execution, call: Call, target: Target, use: KeyUse | null) {
  const { requestState } = call;
  if (requestState !== undefined) return parked.find(requestState, bindingOf(call, target)) !== undefined;
  return use !== null && parked.withKey(use)?.call.use?.fingerprint === use.fingerprint;
}
