// The rule that keeps one record from stopping the stream, step by step.
import { describe, expect, it } from 'vitest';
import { type Attempt, afterDelivery, afterFailure, type Blame, firstAttempt } from './attempt.js';

const maxBatchSize = 100;

/**
 * The next request after each of the failures, of a batch of 100: how many records, their form, and whether after a
 * wait.
 */
function stepsAfter(...blames: readonly Blame[]) {
  let attempt: Attempt = firstAttempt(maxBatchSize);
  return blames.map((blame) => {
    const next = afterFailure(attempt, attempt.maxRecords, blame, maxBatchSize);
    attempt = next.attempt;
    return `${attempt.maxRecords} ${attempt.form}${next.isWaitDue ? ' later' : ''}`;
  });
}

describe('after a failure that records are to blame for', () => {
  it.each<Blame>(['too_large', 'content', 'suspected'])(
    'halves at once, then takes from the record, then begins again (%s)',
    (blame) => {
      const halves = [50, 25, 13, 7, 4, 2, 1].map((count) => `${count} whole`);
      const all = [...halves, '1 reduced', '1 bare', '100 whole later'];
      expect(stepsAfter(...all.map(() => blame))).toEqual(all);
    },
  );

  it('keeps the reason of what the record was reduced for', () => {
    const single: Attempt = { ...firstAttempt(maxBatchSize), maxRecords: 1 };
    const reduced = afterFailure(single, 1, 'too_large', maxBatchSize).attempt;
    const bare = afterFailure(reduced, 1, 'content', maxBatchSize).attempt;
    expect([reduced, bare]).toMatchObject([
      { form: 'reduced', reason: 'too large for this target', isGuess: false },
      { form: 'bare', reason: 'too large for this target', isGuess: false },
    ]);
  });
});

describe('after failures that may be about anything', () => {
  it('tries five times each: all, one, one reduced, one bare, and all again', () => {
    const five = (next: string, current: string) => [...Array(4).fill(`${current} later`), `${next} later`];
    const all = [
      ...five('1 whole', '100 whole'),
      ...five('1 reduced', '1 whole'),
      ...five('1 bare', '1 reduced'),
      ...five('100 whole', '1 bare'),
    ];
    expect(stepsAfter(...all.map((): Blame => 'unclear'))).toEqual(all);
  });

  it.each<Blame>(['unclear', 'suspected'])('marks what is reduced as a guess (%s)', (blame) => {
    const single: Attempt = { ...firstAttempt(maxBatchSize), maxRecords: 1, failures: 4 };
    expect(afterFailure(single, 1, blame, maxBatchSize).attempt).toMatchObject({ form: 'reduced', isGuess: true });
  });
});

it('grows again after deliveries in a row', () => {
  let attempt: Attempt = { ...firstAttempt(maxBatchSize), maxRecords: 30, form: 'reduced' };
  const sizes = Array.from({ length: 9 }, () => {
    attempt = afterDelivery(attempt, maxBatchSize);
    return attempt.maxRecords;
  });
  expect(sizes).toEqual([30, 30, 30, 60, 60, 60, 60, 100, 100]);
  expect(attempt.form).toBe('whole');
});
