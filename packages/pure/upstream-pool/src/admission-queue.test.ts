// So many calls at once and no more; the rest in order, and those that give up leave.
import { describe, expect, it } from 'vitest';
import { createAdmissionQueue } from './admission-queue.js';

const patient = () => new AbortController().signal;

describe('createAdmissionQueue', () => {
  it('admits up to its limit at once and lets the rest wait', async () => {
    const queue = createAdmissionQueue(64);
    await Promise.all(Array.from({ length: 64 }, () => queue.enter(patient())));
    void queue.enter(patient());
    expect([queue.inFlight(), queue.waiting()]).toEqual([64, 1]);
  });

  it('admits those who wait in the order they came', async () => {
    const queue = createAdmissionQueue(1);
    const order: string[] = [];
    const firstPermit = await queue.enter(patient());
    const enter = async (name: string) => {
      const permit = await queue.enter(patient());
      order.push(name);
      permit.release();
    };
    const rest = ['a', 'b', 'c'].map(enter);
    expect(order).toEqual([]);
    firstPermit.release();
    await Promise.all(rest);
    expect(order).toEqual(['a', 'b', 'c']);
    expect([queue.inFlight(), queue.waiting()]).toEqual([0, 0]);
  });

  it('takes one that aborts out of the queue, and the next one moves up', async () => {
    const queue = createAdmissionQueue(1);
    const permit = await queue.enter(patient());
    const impatient = new AbortController();
    const given = queue.enter(impatient.signal);
    const next = queue.enter(patient());
    impatient.abort('too slow');
    await expect(given).rejects.toBe('too slow');
    expect([queue.inFlight(), queue.waiting()]).toEqual([1, 1]);
    permit.release();
    await next;
    expect([queue.inFlight(), queue.waiting()]).toEqual([1, 0]);
  });

  it('does not admit a call that was aborted before, even with permits free', async () => {
    const queue = createAdmissionQueue(1);
    await expect(queue.enter(AbortSignal.abort('gone'))).rejects.toBe('gone');
    expect(queue.inFlight()).toBe(0);
  });

  it('frees a permit once, however often it is released', async () => {
    const queue = createAdmissionQueue(2);
    const permit = await queue.enter(patient());
    await queue.enter(patient());
    permit.release();
    permit.release();
    expect(queue.inFlight()).toBe(1);
  });

  it('ignores an abort that comes after the permit was given', async () => {
    const queue = createAdmissionQueue(1);
    const firstPermit = await queue.enter(patient());
    const caller = new AbortController();
    const entered = queue.enter(caller.signal);
    firstPermit.release();
    const permit = await entered;
    caller.abort();
    expect(queue.inFlight()).toBe(1);
    permit.release();
    expect(queue.inFlight()).toBe(0);
  });

  it('lends a permit to the next that waits, and takes it back at once', async () => {
    const queue = createAdmissionQueue(1);
    const first = await queue.enter(patient());
    const entered = queue.enter(patient());
    const takeBack = first.lend();
    const second = await entered;
    const third = queue.enter(patient());
    takeBack();
    takeBack();
    expect([queue.inFlight(), queue.waiting()]).toEqual([2, 1]);
    first.release();
    expect([queue.inFlight(), queue.waiting()]).toEqual([1, 1]);
    second.release();
    (await third).release();
    expect([queue.inFlight(), queue.waiting()]).toEqual([0, 0]);
  });

  it('is idle when all permits were released, lent ones too', async () => {
    const queue = createAdmissionQueue(1);
    const permit = await queue.enter(patient());
    const takeBack = permit.lend();
    let isIdle = false;
    const idle = queue.idle().then(() => {
      isIdle = true;
    });
    (await queue.enter(patient())).release();
    await Promise.resolve();
    expect([queue.inFlight(), isIdle]).toEqual([0, false]);
    takeBack();
    permit.release();
    await idle;
    expect(queue.inFlight()).toBe(0);
  });

  it('frees a lent permit for good, and one that is lent twice when it is taken back twice', async () => {
    const queue = createAdmissionQueue(1);
    const permit = await queue.enter(patient());
    const takeBack = [permit.lend(), permit.lend()];
    takeBack[0]?.();
    expect(queue.inFlight()).toBe(0);
    permit.release();
    takeBack[1]?.();
    expect(queue.inFlight()).toBe(0);
  });

  it('is idle when the last one has left, those that waited included', async () => {
    const queue = createAdmissionQueue(1);
    await queue.idle();
    const permit = await queue.enter(patient());
    const next = queue.enter(patient());
    let isIdle = false;
    const idle = queue.idle().then(() => {
      isIdle = true;
    });
    permit.release();
    const nextPermit = await next;
    expect(isIdle).toBe(false);
    nextPermit.release();
    await idle;
    expect(queue.inFlight()).toBe(0);
  });
});

describe('principals that wait', () => {
  /** Fills the queue, has these wait in this order, and gives the order in which they get their permits. */
  async function orderOf(principals: readonly string[], giveUp: readonly number[] = []) {
    const queue = createAdmissionQueue(1);
    const first = await queue.enter(patient(), 'hog');
    const order: string[] = [];
    const controls = principals.map(() => new AbortController());
    const all = principals.map(async (principal, index) => {
      const permit = await queue.enter(controls[index]?.signal ?? patient(), principal);
      order.push(`${principal}${index}`);
      permit.release();
    });
    for (const index of giveUp) controls[index]?.abort('gone');
    first.release();
    await Promise.allSettled(all);
    expect([queue.inFlight(), queue.waiting()]).toEqual([0, 0]);
    return order;
  }

  it('take turns, each in the order of its own', async () => {
    const order = await orderOf(['hog', 'hog', 'hog', 'ann', 'ann', 'bob']);
    expect(order).toEqual(['hog0', 'ann3', 'bob5', 'hog1', 'ann4', 'hog2']);
  });

  it('lose their turn with the last of them that gives up, and nobody else does', async () => {
    const order = await orderOf(['hog', 'hog', 'ann', 'bob', 'bob'], [2, 3]);
    expect(order).toEqual(['hog0', 'bob4', 'hog1']);
  });

  it('each have a share of the places to wait at', async () => {
    const queue = createAdmissionQueue(1, () => 4);
    await queue.enter(patient(), 'hog');
    const enter = (principal: string) => queue.enter(patient(), principal).then(() => undefined);
    for (let n = 0; n < 4; n += 1) void enter('hog');
    await expect(enter('hog')).rejects.toMatchObject({ name: 'QueueFull', held: 4, limit: 4 });
    void enter('ann');
    void enter('ann');
    await expect(enter('ann')).rejects.toMatchObject({ held: 2 });
    expect([queue.inFlight(), queue.waiting()]).toEqual([1, 6]);
  });
});
