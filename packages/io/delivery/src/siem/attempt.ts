// Decides how many records the next request holds, and in what form, from the results of earlier ones. Waits for
// nothing.
import type { RecordForm, ReductionReason } from './record-form.js';

/**
 * The cause of a failed request: its records are at fault, records have been before when the target failed like that,
 * or it is unknown.
 */
export type Blame = 'too_large' | 'content' | 'suspected' | 'unclear';

export interface Attempt {
  readonly maxRecords: number;
  /** Other than `whole` for one record only. */
  readonly form: RecordForm;
  /** Why it is not whole. */
  readonly reason: ReductionReason;
  /** Nothing has said that the record is at fault: the whole of it is tried again when a lesser form was taken. */
  readonly isGuess: boolean;
  /** Since anything of the above has changed. */
  readonly failures: number;
  readonly deliveries: number;
}

export interface NextAttempt {
  readonly attempt: Attempt;
  /** Whether to wait before it. After a refusal for content, the records can be narrowed down at once. */
  readonly isWaitDue: boolean;
}

/** Failures that may be about anything, such as status 500 or a timeout, before the records are suspected. */
const patience = 5;
/** Deliveries in a row before more records are tried at once. */
const deliveriesToGrow = 4;

export function firstAttempt(maxBatchSize: number): Attempt {
  const reason = 'refused by this target';
  return { maxRecords: maxBatchSize, form: 'whole', reason, isGuess: false, failures: 0, deliveries: 0 };
}

export function afterDelivery(attempt: Attempt, maxBatchSize: number): Attempt {
  const deliveries = attempt.deliveries + 1;
  const isGrowing = attempt.maxRecords < maxBatchSize && deliveries >= deliveriesToGrow;
  const maxRecords = isGrowing ? Math.min(attempt.maxRecords * 2, maxBatchSize) : attempt.maxRecords;
  return { ...firstAttempt(maxRecords), deliveries: isGrowing ? 0 : deliveries };
}

/**
 * Fewer records, then one in a lesser form; after the least of them, all again, since a target that refuses what holds
 * nothing of a caller refuses everything. @param sent records in the request that failed
 */
export function afterFailure(attempt: Attempt, sent: number, blame: Blame, maxBatchSize: number): NextAttempt {
  const isUnclear = blame === 'unclear';
  if (isUnclear && attempt.failures + 1 < patience) {
    return { attempt: { ...attempt, failures: attempt.failures + 1, deliveries: 0 }, isWaitDue: true };
  }
  if (sent > 1) {
    // Straight to one record: to halve would take many waits, and a caller could provoke all of them again.
    const maxRecords = isUnclear ? 1 : Math.ceil(sent / 2);
    return { attempt: firstAttempt(maxRecords), isWaitDue: isUnclear };
  }
  if (attempt.form === 'bare') return { attempt: firstAttempt(maxBatchSize), isWaitDue: true };
  const lesser: Attempt = { ...firstAttempt(1), form: attempt.form === 'whole' ? 'reduced' : 'bare' };
  if (attempt.form === 'reduced') {
    return { attempt: { ...lesser, reason: attempt.reason, isGuess: attempt.isGuess }, isWaitDue: isUnclear };
  }
  const reason = blame === 'too_large' ? 'too large for this target' : 'refused by this target';
  return { attempt: { ...lesser, reason, isGuess: isUnclear || blame === 'suspected' }, isWaitDue: isUnclear };
}
