// The record of a parked call that no caller resumes any more: its server ended it, its time was over, or it was
// cancelled. Its key gets the outcome, and the log a record, since no request is there to leave one.
import { errorEnvelope, successEnvelope } from '@portico/contracts';
import type { RunOnce } from '@portico/idempotency';
import { callDraft } from '../../audit/drafts.js';
import { CallFailure } from '../../call/call.js';
import { isToolError, toolErrorCode } from '../../call/tool-error.js';
import { defectEnvelope } from '../../observability/defect.js';
import type { CountExecution } from '../../observability/metrics/count-executions.js';
import { traceFields } from '../../observability/tracing/trace-context.js';
import { retryOf } from '../../state/target.js';
import type { Attempt } from './classify.js';
import { endedWith } from './dedupe.js';
import { type DistillDeps, distill } from './distill.js';
import { approvalIdOf } from './entry.js';
import type { RecordDeps } from './record.js';
import type { TurnAnswer } from './turn-answer.js';

export interface AbandonDeps extends RecordDeps, DistillDeps {
  readonly once: RunOnce;
  readonly count: CountExecution;
}

/**
 * Claims the key at once, so that no repeat runs the call again. Never rejects.
 * @param answered how the call ends at its upstream; rejects with CallFailure as the call would
 */
export async function recordAbandoned(
  on: AbandonDeps,
  { run, target, claim, prepared }: Attempt,
  answered: Promise<TurnAnswer>,
): Promise<void> {
  const startedAtMs = on.clock.now();
  const { state, call, entry } = run;
  const { correlation } = call;
  const shortened = answered.then((answer) => distill(on, target, answer, prepared.modifiers));
  const ended = shortened.then(
    ({ retry, data, dataText }) => ({ envelope: successEnvelope(correlation, retry, data), dataText }),
    (error: unknown) => ({
      envelope:
        error instanceof CallFailure
          ? errorEnvelope(correlation, error.retry, error)
          : defectEnvelope(on.log, correlation, error, retryOf(target, claim !== null, 'unknown'), false),
    }),
  );
  const kept = claim === null ? undefined : on.once.finish(claim, ended.then(endedWith));
  const { envelope } = await ended;
  run.isToolError = isToolError(envelope);
  on.count(run, { kind: 'answered', envelope }, on.clock.now() - startedAtMs);
  const draft = callDraft(
    { state, call, args: call.args, target, rule: run.rule },
    {
      kind: 'answered',
      code: envelope.error?.code ?? (run.isToolError ? toolErrorCode : undefined),
      isUnsent: false,
      epochMs: on.clock.epochMs(),
      durationUs: Math.round((on.clock.now() - startedAtMs) * 1000),
      key: claim?.key ?? null,
      approvalId: approvalIdOf(entry),
    },
    on.state(),
  );
  const reportFailure = (message: string) => (error: unknown) =>
    on.log('error', message, { ...traceFields(correlation), error });
  await Promise.all([
    kept?.catch(reportFailure('the outcome of a call that waited for its caller could not be kept')),
    on.audit.append(draft).catch(reportFailure('an audit record is not written yet')), // the log keeps it until it is
  ]);
}
