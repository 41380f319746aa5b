// Gets records to one target, as many at once and as complete as it takes them. Skips none: records that a target
// refuses whole are sent in part, and records that it refuses altogether are retried until the caller stops.
import type { AuditRecord } from '@portico/audit-chain';
import { afterDelivery, afterFailure, firstAttempt } from './attempt.js';
import type { Setback } from './insist.js';
import { type RecordForm, type ReductionReason, toForm } from './record-form.js';
import type { SendRecords } from './send-records.js';
import { blameOf, type Failure, failureName, failureReason } from './siem-answer.js';

export interface DeliveryOptions {
  readonly send: SendRecords;
  readonly maxBatchSize: number;
  /** Called with each record that the target has received in part. */
  readonly onReduced: (record: AuditRecord, form: RecordForm, reason: ReductionReason) => void;
  readonly signal: AbortSignal;
}

export type Progress =
  | { readonly kind: 'delivered'; readonly count: number }
  | { readonly kind: 'setback'; readonly setback: Setback };

/** Sends the first records of a batch, once; to be called with the same batch until they are delivered. */
export type Deliver = (batch: readonly AuditRecord[]) => Promise<Progress>;

export function createDelivery({ send, maxBatchSize, onReduced, signal }: DeliveryOptions): Deliver {
  let attempt = firstAttempt(maxBatchSize);
  const provoked = new Set<string>(); // names of failures that records were seen to be the reason of

  function setbackOf(failure: Failure, sent: number): Setback {
    const blame = blameOf(failure);
    const isSuspected = blame === 'unclear' && provoked.has(failureName(failure));
    // The target refuses what no caller has a part in: what failures like this have meant before is no guide now.
    if (attempt.form === 'bare') provoked.clear();
    const next = afterFailure(attempt, sent, isSuspected ? 'suspected' : blame, maxBatchSize);
    attempt = next.attempt;
    const retryAfterMs = failure.kind === 'refused' ? failure.retryAfterMs : 0;
    const isWaitDue = next.isWaitDue || retryAfterMs > 0;
    return { reason: failureReason(failure), minWaitMs: isWaitDue ? retryAfterMs : undefined };
  }

  /** A target that takes less of a record may merely have come back: where that is a guess, it gets the whole now. */
  async function settleReduced(records: readonly AuditRecord[]): Promise<void> {
    const { form, reason, isGuess } = attempt;
    if (form === 'whole') return;
    if (isGuess) {
      const outcome = await send(records, signal);
      if (outcome.kind === 'delivered') return;
      provoked.add(failureName(outcome));
    }
    for (const record of records) onReduced(record, form, reason);
  }

  return async (batch) => {
    const records = batch.slice(0, attempt.maxRecords);
    const { form, reason } = attempt;
    const outcome = await send(
      records.map((record) => toForm(record, form, reason)),
      signal,
    );
    if (outcome.kind !== 'delivered') return { kind: 'setback', setback: setbackOf(outcome, records.length) };
    await settleReduced(records);
    attempt = afterDelivery(attempt, maxBatchSize);
    return { kind: 'delivered', count: records.length };
  };
}
