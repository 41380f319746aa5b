// The record of a parked call that no caller resumes any more: its server ended it, its time was over, or it was
// cancelled. Its key gets the outcome, and the log a record, since no request is there to leave one.
import type { RunOnce } from '@portico/idempotency';
import { callDraft } from '../../audit/drafts.js';
import { CallFailure } from '../../call/call.js';
import { retryOf } from '../../call/failures.js';
import { defectEnvelope } from '../../observability/defect.js';
import { traceFields } from '../../observability/tracing/trace-context.js';
import type { PlaneState } from '../../state/plane-state.js';
import { answerEnvelope, failureEnvelope } from './answer.js';
import { endedWith } from './dedupe.js';
import type { Answer } from './invoke.js';
import type { RecordDeps } from './record.js';
import type { UpstreamCall } from './upstream-call.js';

export interface AbandonedCall extends Pick<UpstreamCall, 'call' | 'target' | 'claim'> {
  readonly state: PlaneState;
  readonly approvalId: string | null;
}

/** Takes the key at once, so that nobody runs the call again. Never rejects. */
export async function recordAbandoned(
  on: RecordDeps & { readonly once: RunOnce },
  { call, target, claim, state, approvalId }: AbandonedCall,
  answered: Promise<Answer>,
): Promise<void> {
  const startedAtMs = on.clock.now();
  const { correlation } = call;
  const ended = answered.then(
    (answer) => answerEnvelope(correlation, answer),
    (error: unknown) =>
      error instanceof CallFailure
        ? failureEnvelope(correlation, error)
        : defectEnvelope(on.log, correlation, error, retryOf(target, claim !== null, 'unknown'), false),
  );
  const kept = claim === null ? undefined : on.once.finish(claim, ended.then(endedWith));
  const envelope = await ended;
  const draft = callDraft(
    state,
    call,
    {
      kind: 'answered',
      code: envelope.error?.code,
      isUnsent: false,
      epochMs: on.clock.epochMs(),
      durationUs: Math.round((on.clock.now() - startedAtMs) * 1000),
      key: claim?.key ?? null,
      approvalId,
    },
    on.state(),
  );
  const tell = (message: string) => (error: unknown) =>
    on.log('error', message, { ...traceFields(correlation), error });
  await Promise.all([
    kept?.catch(tell('the outcome of a call that waited for its caller could not be kept')),
    on.audit.append(draft).catch(tell('an audit record is not written yet')), // the log keeps it until it is
  ]);
}
