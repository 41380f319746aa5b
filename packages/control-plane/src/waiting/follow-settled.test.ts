// Tickets that are settled in another process: waited for here, and not left to expire.
import { createManualClock } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createExpiry } from './expiry.js';
import { followSettled } from './follow-settled.js';
import { createWaiters } from './waiters.js';

function start() {
  const clock = createManualClock();
  const settled = new Set<string>();
  const expired: string[] = [];
  const stopped: string[] = [];
  let say: (id: string | undefined) => void = () => {};
  const pending = createExpiry(
    clock,
    () => {},
    async ({ id }) => void expired.push(id),
    { add() {}, remove() {} },
  );
  const waiters = createWaiters(clock);
  const following = followSettled({
    follow(listener) {
      say = listener;
      return () => {
        say = () => {};
      };
    },
    pending,
    waiters,
    isPending: async (id) => !settled.has(id),
    onSettled: (id) => stopped.push(id),
    log: () => {},
  });
  const isOver = (id: string) => async () => settled.has(id);
  for (const id of ['a', 'b']) pending.watch({ id, expiresAtMs: clock.epochMs() + 1000 });
  return { clock, settled, expired, stopped, pending, waiters, isOver, following, say: (id?: string) => say(id) };
}

describe('what is settled elsewhere', () => {
  it('wakes who waits for it, and does not expire here', async () => {
    const { clock, settled, expired, stopped, waiters, isOver, say } = start();
    const waiting = waiters.wait('a', isOver('a'), 500, []);
    await clock.advance(0);
    settled.add('a');
    say('a');
    await waiting;
    await clock.advance(1000);
    expect([stopped, expired]).toEqual([['a'], ['b']]);
  });

  it('is looked for in all that wait when signals may have been missed', async () => {
    const { clock, settled, waiters, isOver, say, pending } = start();
    const waiting = waiters.wait('b', isOver('b'), 500, []);
    await clock.advance(0);
    settled.add('b');
    say();
    await waiting;
    expect(pending.tickets().map(({ id }) => id)).toEqual(['a']);
  });

  it('ends no wait for what is not over, however often it is said', async () => {
    const { clock, waiters, isOver, say, pending } = start();
    let isDone = false;
    const waiting = waiters.wait('a', isOver('a'), 500, []).then(() => {
      isDone = true;
    });
    for (let n = 0; n < 3; n += 1) {
      await clock.advance(100);
      say('a');
      say();
    }
    await clock.advance(0);
    expect([isDone, pending.tickets().length]).toEqual([false, 2]);
    await clock.advance(200);
    await waiting;
  });

  it('is found before it was watched, when it is looked at then', async () => {
    const { clock, settled, stopped, pending, following } = start();
    settled.add('a');
    following.lookAt('a');
    following.lookAt('b');
    await clock.advance(0);
    expect([stopped, pending.tickets().map(({ id }) => id)]).toEqual([['a'], ['b']]);
  });

  it('is not notified any more at the end', async () => {
    const { clock, settled, pending, following, say } = start();
    following.stop();
    settled.add('a');
    say('a');
    await clock.advance(0);
    expect(pending.tickets()).toHaveLength(2);
  });
});
