// The life of a call, top to bottom: record, resolve, authorize, prepare, classify, then approve, or dedupe and take a
// turn at the upstream.
import type { IdempotencyClaim, RunOnce } from '@portico/idempotency';
import type { Call, Outcome } from '../call/call.js';
import { retryOf } from '../call/failures.js';
import type { Target } from '../call/target.js';
import { defectEnvelope } from '../observability/defect.js';
import type { ObserveDeps } from '../observability/observe-call.js';
import type { PlaneState } from '../state/plane-state.js';
import { resolve } from '../state/target.js';
import { approve, keyTaken } from './steps/approve.js';
import type { ApproveDeps } from './steps/ask-approval.js';
import { authorize, type Permission } from './steps/authorize.js';
import { type Attempt, approvedRound, type ClassifyDeps, classify } from './steps/classify.js';
import { dedupe, replay, type TurnOutcome } from './steps/dedupe.js';
import { type Prepared, prepare } from './steps/prepare.js';
import { record } from './steps/record.js';
import type { Entry, Run } from './steps/run.js';
import { type TurnDeps, takeTurn } from './steps/take-turn.js';
import { type CheckDeps, turnToCheck } from './steps/turn-to-check.js';

export interface Execution extends TurnDeps, ObserveDeps, ApproveDeps, ClassifyDeps, CheckDeps {
  readonly once: RunOnce;
}

const request: Entry = { kind: 'request' };

/** Runs a tool call, resource read or prompt on one snapshot of the state. Never rejects. */
export function execute(on: Execution, state: PlaneState, call: Call, entry = request): Promise<Outcome> {
  return record(on, state, call, entry, (run) => {
    const { steps, call: traced } = run;
    const target = run.observed.resolved(
      steps.run('resolve', () => resolve(state, traced.caller, traced.kind, traced.id)),
    );
    const permission = steps.run('authorize', () => authorize(state, traced, target));
    const turn = turnToCheck(on, run, target);
    return turn === undefined
      ? attemptTo(on, run, target, permission)
      : turn.then(() => attemptTo(on, run, target, permission));
  });
}

/** Rejects, or throws, as its steps do. */
function attemptTo(on: Execution, run: Run, target: Target, permission: Permission): Promise<Outcome> {
  const round = approvedRound(on, run, target);
  const prepared = run.steps.run('prepare', () => prepare(on.validator, target, round ?? run.call.args));
  const attempt = classify(on, run, target, { permission, round });
  if (attempt.needsApproval) return replayOrApprove(on, attempt);
  refuseTakenKey(on, attempt);
  run.args = attempt.args;
  return attempt.claim === null ? takeTurn(on, attempt, prepared, true) : runOnce(on, attempt, attempt.claim, prepared);
}

/** A gated call whose key has an answer already needs no approval. */
async function replayOrApprove(on: Execution, attempt: Attempt): Promise<Outcome> {
  const { run, target, claim } = attempt;
  const { steps, operation } = run;
  const stored = claim && (await steps.wait('dedupe', () => replay(on.once, claim, target, operation.signal)));
  if (stored) return stored;
  const { outcome, isAudited } = await steps.wait('approve', () => approve(on, attempt));
  run.isAudited = isAudited;
  return outcome;
}

/** @throws CallFailure INVALID_ARGS where the key waits for an approval */
function refuseTakenKey({ approvals }: Execution, { run, claim }: Attempt): void {
  if (run.entry.kind === 'request' && claim !== null && approvals.isTaken(claim)) throw keyTaken(claim.key);
}

/** Once for its key, a further turn included. */
function runOnce(on: Execution, attempt: Attempt, claim: IdempotencyClaim, prepared: Prepared): Promise<Outcome> {
  const { run, target } = attempt;
  const { call, operation, steps } = run;
  const turn = async (isFirst: boolean): Promise<TurnOutcome> => {
    try {
      return await takeTurn(on, attempt, prepared, isFirst);
    } catch (error) {
      // Under a key a defect is an outcome as well: the call may have been sent, and must not be sent again.
      const envelope = defectEnvelope(on.log, call.correlation, error, retryOf(target, true, 'unknown'), false);
      return { kind: 'answered', envelope };
    }
  };
  const input = { call, target, epochMs: on.clock.epochMs(), signal: operation.signal };
  return steps.wait('dedupe', () => dedupe(on.once, claim, input, turn));
}
