// Deadlines, and what comes just in time.
import { expect, it } from 'vitest';
import { createManualClock } from './manual-clock.js';
import { DeadlinePassed, startDeadline } from './signals.js';

it('a deadline passes when nothing has come by then', async () => {
  const clock = createManualClock();
  const { signal } = startDeadline(clock, 10);
  await clock.advance(9);
  expect(signal.aborted).toBe(false);
  await clock.advance(1);
  expect(signal.reason).toBeInstanceOf(DeadlinePassed);
});

it('a deadline lets what has arrived by then be taken in first', async () => {
  const clock = createManualClock();
  const deadline = startDeadline(clock, 10);
  clock.after(10, () => deadline.stop());
  await clock.advance(20);
  expect([deadline.signal.aborted, clock.sleeping()]).toEqual([false, 0]);
});

it('a deadline that was stopped neither starts again nor passes', async () => {
  const clock = createManualClock();
  const deadline = startDeadline(clock, 10);
  deadline.stop();
  deadline.pause();
  deadline.resume();
  await clock.advance(20);
  expect([deadline.signal.aborted, clock.sleeping()]).toEqual([false, 0]);
});
