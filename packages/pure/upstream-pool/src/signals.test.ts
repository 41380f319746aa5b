// Deadlines, and what comes just in time.
import { describe, expect, it } from 'vitest';
import { createManualClock } from './manual-clock.js';
import { createDeadlines, DeadlinePassed, startDeadline } from './signals.js';

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

it('deadlines of one time pass each at its own moment, by one timer', async () => {
  const clock = createManualClock();
  const start = createDeadlines(clock);
  const early = start(10);
  await clock.advance(4);
  const late = start(10);
  expect(clock.sleeping()).toBe(1);
  await clock.advance(6);
  expect([early.signal.aborted, late.signal.aborted, late.atMs]).toEqual([true, false, 14]);
  await clock.advance(3);
  expect(late.signal.aborted).toBe(false);
  await clock.advance(1);
  expect([late.signal.reason, clock.sleeping()]).toEqual([expect.any(DeadlinePassed), 0]);
});

it('a deadline that ends early takes no time from those behind it, and the last leaves no timer', async () => {
  const clock = createManualClock();
  const start = createDeadlines(clock);
  const [first, second, third] = [start(10), start(10), start(20)];
  first.stop();
  await clock.advance(9);
  expect(second.signal.aborted).toBe(false);
  second.stop();
  third.stop();
  expect(clock.sleeping()).toBe(0);
});

it('a deadline that was paused goes on with the time that was left', async () => {
  const clock = createManualClock();
  const start = createDeadlines(clock);
  const [paused, other] = [start(10), start(10)];
  await clock.advance(4);
  paused.pause();
  expect(paused.atMs).toBe(Number.POSITIVE_INFINITY);
  await clock.advance(100);
  expect([paused.signal.aborted, other.signal.aborted]).toEqual([false, true]);
  paused.resume();
  await clock.advance(5);
  expect([paused.signal.aborted, paused.atMs]).toEqual([false, 110]);
  await clock.advance(1);
  expect(paused.signal.aborted).toBe(true);
});

it('deadlines that share timers abort when those with timers of their own do', async () => {
  const clock = createManualClock();
  const start = createDeadlines(clock);
  const pairs: (readonly [ReturnType<typeof start>, ReturnType<typeof start>])[] = [];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let step = 0; step < 3000; step += 1) {
    const timeoutMs = [5, 20, 50][random(3)] ?? 5;
    if (random(2) === 0) pairs.push([start(timeoutMs), startDeadline(clock, timeoutMs)]);
    const [shared, own] = pairs[random(Math.max(1, pairs.length))] ?? [];
    const what = (['pause', 'resume', 'stop', 'resume'] as const)[random(4)] ?? 'resume';
    shared?.[what]();
    own?.[what]();
    if (random(4) === 0) await clock.advance(random(15));
    if (pairs.length > 40) pairs.splice(0, 20);
    for (const [one, other] of pairs)
      expect([one.signal.aborted, one.atMs]).toEqual([other.signal.aborted, other.atMs]);
  }
});

describe('a deadline that is extended', () => {
  const more = { byMs: 10, upToMs: 35, setting: 'longest' };

  it('has more time, up to the most, and says why', async () => {
    const clock = createManualClock();
    const deadline = startDeadline(clock, 10);
    while (!deadline.signal.aborted && clock.now() < 100) {
      deadline.extend(more);
      await clock.advance(5);
    }
    expect([clock.now(), clock.sleeping()]).toEqual([35, 0]);
    expect(deadline.signal.reason).toMatchObject({ timeoutMs: 35, extendedBy: 'longest' });
  });

  it('ends no later than twice the time from then on', async () => {
    const clock = createManualClock();
    const deadline = createDeadlines(clock)(10);
    for (let time = 0; time < 5; time += 1) deadline.extend(more);
    expect(deadline.atMs).toBe(20);
    await clock.advance(20);
    expect(deadline.signal.reason).toMatchObject({ timeoutMs: 20 });
  });

  it('leaves the others of its time as they are', async () => {
    const clock = createManualClock();
    const start = createDeadlines(clock);
    const [extended, other] = [start(10), start(10)];
    extended.extend(more);
    await clock.advance(10);
    expect([extended.signal.aborted, other.signal.aborted]).toEqual([false, true]);
  });

  it('has the time once it goes on, where it is paused, and none once it has ended', async () => {
    const clock = createManualClock();
    const deadline = startDeadline(clock, 10);
    deadline.pause();
    deadline.extend(more);
    expect(deadline.atMs).toBe(Number.POSITIVE_INFINITY);
    deadline.resume();
    expect(deadline.atMs).toBe(20);
    deadline.stop();
    deadline.extend(more);
    expect([deadline.atMs, clock.sleeping()]).toEqual([20, 0]);
  });
});
