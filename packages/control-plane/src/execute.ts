// The life of a call, top to bottom: record, resolve, authorize, prepare, dedupe, approve, invoke, distill, answer.
import type { KeyUse, RunOnce } from '@portico/idempotency';
import { type Call, CallFailure, type Outcome } from './call.js';
import { defectEnvelope } from './defect.js';
import type { ApprovedTurns } from './interaction/approved-turns.js';
import { bindingOf } from './interaction/request-state.js';
import { isQuestion } from './interim.js';
import { type ObserveDeps, observeCall } from './observe-call.js';
import type { PlaneState } from './plane-state.js';
import { retryOf } from './retry.js';
import { answer } from './steps/answer.js';
import { approve, keyTaken, toDraft } from './steps/approve.js';
import type { ApproveDeps } from './steps/ask-approval.js';
import { authorize } from './steps/authorize.js';
import { type Contacting, type ConverseDeps, converse } from './steps/converse.js';
import { dedupe, keyOf, replay, useOf } from './steps/dedupe.js';
import { distill } from './steps/distill.js';
import type { Answer } from './steps/invoke.js';
import { type Prepared, prepare } from './steps/prepare.js';
import { type Ended, type Identity, type RecordDeps, record } from './steps/record.js';
import { resolve, type Target } from './steps/resolve.js';
import type { Steps } from './tracing/steps.js';
import type { ArgumentValidator } from './validate-arguments.js';

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
  const identify = (): Identity =>
    approved === undefined
      ? { key: keyOf(call), isKeyGiven: call.idempotencyKey !== null, approvalId: null }
      : { key: approved.use?.key ?? null, isKeyGiven: true, approvalId: approved.approvalId };

  const outcome = await record(on, state, call, identify, async (operation, key): Promise<Ended> => {
    const target = resolved(steps.run('resolve', () => resolve(state, call.caller, call.kind, call.id)));
    const permission = steps.run('authorize', () => authorize(state, call, target));
    const prepared = steps.run('prepare', () => prepare(on.validator, target, call.args));
    const use = approved?.use ?? (approved !== undefined || key === null ? null : useOf(call, target, key));

    const isApproved = approved !== undefined || continuesApproved(on, call, target, use?.key ?? null);
    if (permission === 'require_approval' && !isApproved) {
      const stored =
        use === null ? undefined : await steps.wait('dedupe', () => replay(on.once, use, target, operation.signal));
      if (stored !== undefined) return { outcome: stored, isAudited: false };
      const mayDecide = state.policy.isAdmin(call.caller.role);
      const draft = toDraft(state, call, target, use, on.clock.epochMs());
      return steps.wait('approve', () => approve(on, target, draft, call, operation, mayDecide));
    }

    if (approved === undefined && use !== null && on.approvals.isTaken(use)) throw keyTaken(use.key);
    const run = () =>
      answer(steps, call.correlation, async () => {
        await approved?.start();
        const key = use?.key ?? null;
        return ask(on, steps, { call, target, operation, key }, prepared, permission === 'require_approval');
      });
    if (use === null) return { outcome: { kind: 'answered', envelope: await run() }, isAudited: false };
    const input = { call, target, epochMs: on.clock.epochMs(), signal: operation.signal };
    // Under a key a defect is an outcome as well: the call may have been sent, and must not be sent again.
    const keyed = () =>
      run().catch((error: unknown) =>
        defectEnvelope(on.log, call.correlation, error, retryOf(target, true, 'unknown'), false),
      );
    const once = await steps.wait('dedupe', () => dedupe(on.once, use, input, keyed));
    return { outcome: once, isAudited: false };
  });
  return ended(outcome);
}

async function ask(
  on: Execution,
  steps: Steps,
  contacting: Contacting,
  { request, modifiers }: Prepared,
  isGated: boolean,
): Promise<Answer> {
  const { call, target } = contacting;
  const answered = await steps
    .invoke({ server: target.server, request }, (traced) => converse(on, contacting, traced))
    .catch((error: unknown) => {
      if (isGated && call.requestState !== undefined && isUnsent(error)) {
        on.approvedTurns.add(call.requestState, bindingOf(call, target)); // it can be taken again
      }
      throw error;
    });
  const { requestState } = answered.data;
  if (isGated && isQuestion(answered.data) && typeof requestState === 'string') {
    on.approvedTurns.add(requestState, bindingOf(call, target));
  }
  return steps.run('distill', () => distill(answered, modifiers));
}

function isUnsent(error: unknown): boolean {
  return error instanceof CallFailure && error.retry.upstream_execution_state === 'not_started';
}

/** An answer to what an approved call has asked, or its first request once more, under its key. */
function continuesApproved(
  { parked, approvedTurns }: Execution,
  call: Call,
  target: Target,
  key: string | null,
): boolean {
  const { requestState } = call;
  const binding = bindingOf(call, target);
  if (requestState !== undefined) return parked.has(requestState, binding) || approvedTurns.take(requestState, binding);
  const waiting = key === null ? undefined : parked.stateOf(call.caller.principal, key);
  return waiting !== undefined && parked.has(waiting.state, binding);
}
