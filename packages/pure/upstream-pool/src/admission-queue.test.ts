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
    const leaveFirst = await queue.enter(patient());
    const enter = async (name: string) => {
      const leave = await queue.enter(patient());
      order.push(name);
      leave();
    };
    const rest = ['a', 'b', 'c'].map(enter);
    expect(order).toEqual([]);
    leaveFirst();
    await Promise.all(rest);
    expect(order).toEqual(['a', 'b', 'c']);
    expect([queue.inFlight(), queue.waiting()]).toEqual([0, 0]);
  });

  it('takes one that aborts out of the queue, and the next one moves up', async () => {
    const queue = createAdmissionQueue(1);
    const leave = await queue.enter(patient());
    const impatient = new AbortController();
    const given = queue.enter(impatient.signal);
    const next = queue.enter(patient());
    impatient.abort('too slow');
    await expect(given).rejects.toBe('too slow');
    expect([queue.inFlight(), queue.waiting()]).toEqual([1, 1]);
    leave();
    await next;
    expect([queue.inFlight(), queue.waiting()]).toEqual([1, 0]);
  });

  it('does not admit a call that was aborted before, even with places free', async () => {
    const queue = createAdmissionQueue(1);
    await expect(queue.enter(AbortSignal.abort('gone'))).rejects.toBe('gone');
    expect(queue.inFlight()).toBe(0);
  });

  it('frees a place once, however often its holder leaves', async () => {
    const queue = createAdmissionQueue(2);
    const leave = await queue.enter(patient());
    await queue.enter(patient());
    leave();
    leave();
    expect(queue.inFlight()).toBe(1);
  });

  it('ignores an abort that comes after the place was given', async () => {
    const queue = createAdmissionQueue(1);
    const leaveFirst = await queue.enter(patient());
    const caller = new AbortController();
    const entered = queue.enter(caller.signal);
    leaveFirst();
    const leave = await entered;
    caller.abort();
    expect(queue.inFlight()).toBe(1);
    leave();
    expect(queue.inFlight()).toBe(0);
  });

  it('is idle when the last one has left, those that waited included', async () => {
    const queue = createAdmissionQueue(1);
    await queue.idle();
    const leave = await queue.enter(patient());
    const next = queue.enter(patient());
    let isIdle = false;
    const idle = queue.idle().then(() => {
      isIdle = true;
    });
    leave();
    const leaveNext = await next;
    expect(isIdle).toBe(false);
    leaveNext();
    await idle;
    expect(queue.inFlight()).toBe(0);
  });
});
