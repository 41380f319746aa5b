// A limited number of calls at once; the rest in order, and those that give up leave.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAdmissionQueue as createQueue, type PermitHolder, permitHolder } from './admission-queue.js';

const patient = () => new AbortController().signal;

/** With a permit as a thing of its own for each that enters. */
function createAdmissionQueue(...given: Parameters<typeof createQueue>) {
  const queue = createQueue(...given);
  const permitOf = (holder: PermitHolder) => ({
    release: () => queue.leave(holder),
    lend: () => queue.lend(holder),
  });
  return {
    ...queue,
    async enter(signal: AbortSignal, { principal }: { readonly principal?: string } = {}) {
      const holder = permitHolder(principal);
      await queue.enter(holder, signal);
      return permitOf(holder);
    },
    tryEnter({ principal }: { readonly principal?: string } = {}) {
      const holder = permitHolder(principal);
      return queue.tryEnter(holder) ? permitOf(holder) : undefined;
    },
  };
}

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

  it('frees a lent permit permanently, and one that is lent twice when it is taken back twice', async () => {
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
    const first = await queue.enter(patient(), { principal: 'hog' });
    const order: string[] = [];
    const controls = principals.map(() => new AbortController());
    const all = principals.map(async (principal, index) => {
      const permit = await queue.enter(controls[index]?.signal ?? patient(), { principal });
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

  it('lose their turn with the last of them that gives up, and no other does', async () => {
    const order = await orderOf(['hog', 'hog', 'ann', 'bob', 'bob'], [2, 3]);
    expect(order).toEqual(['hog0', 'bob4', 'hog1']);
  });

  it('each have a share of the places to wait at', async () => {
    const queue = createAdmissionQueue(1, { maxWaiting: () => 4 });
    await queue.enter(patient(), { principal: 'hog' });
    const enter = (principal: string) => queue.enter(patient(), { principal }).then(() => undefined);
    for (let n = 0; n < 4; n += 1) void enter('hog');
    await expect(enter('hog')).rejects.toMatchObject({ name: 'QueueFull', held: 4, limit: 4 });
    void enter('ann');
    void enter('ann');
    await expect(enter('ann')).rejects.toMatchObject({ held: 2 });
    expect([queue.inFlight(), queue.waiting()]).toEqual([1, 6]);
  });
});

describe('places of distinct principals', () => {
  const shared = { isShared: () => true };
  const enterAll = (queue: ReturnType<typeof createAdmissionQueue>, principal: string, count: number) =>
    Array.from({ length: count }, () => queue.enter(patient(), { principal }));

  it('are an eighth short of all for one, so that another enters at once, and the next', async () => {
    const queue = createAdmissionQueue(64, shared);
    void enterAll(queue, 'hog', 256);
    expect([queue.inFlight(), queue.waiting()]).toEqual([56, 200]);
    expect(queue.tryEnter({ principal: 'hog' })).toBeUndefined();
    const permits = Array.from({ length: 8 }, () => queue.tryEnter({ principal: 'ann' }));
    expect([permits.filter(Boolean).length, queue.inFlight()]).toEqual([7, 63]);
    expect([queue.tryEnter({ principal: 'bob' }), queue.inFlight()]).toEqual([expect.anything(), 64]);
    expect(queue.tryEnter({ principal: 'eve' })).toBeUndefined();
  });

  it('go to its own next when one of its calls ends, and stay free while another has some', async () => {
    const queue = createAdmissionQueue(64, shared);
    const hogs = enterAll(queue, 'hog', 60);
    (await hogs[0])?.release();
    expect([queue.inFlight(), queue.waiting()]).toEqual([56, 3]);
    const ann = queue.tryEnter({ principal: 'ann' });
    (await hogs[1])?.release();
    expect([queue.inFlight(), queue.waiting()]).toEqual([56, 3]);
    ann?.release();
    expect([queue.inFlight(), queue.waiting()]).toEqual([56, 2]);
    const takeBack = (await hogs[2])?.lend();
    expect([queue.inFlight(), queue.waiting()]).toEqual([56, 1]);
    takeBack?.();
    expect(queue.inFlight()).toBe(57);
  });

  it('are all for one where principals are not distinguished', () => {
    const queue = createAdmissionQueue(64, { isShared: () => false });
    void enterAll(queue, 'local', 70);
    expect([queue.inFlight(), queue.waiting()]).toEqual([64, 6]);
  });

  it('are one for one where there is only one', () => {
    const queue = createAdmissionQueue(1, shared);
    expect([queue.tryEnter({ principal: 'ann' }), queue.inFlight()]).toEqual([expect.anything(), 1]);
  });

  it('never stay free for a principal that waits and may have one, however calls come and go', async () => {
    const limit = 16;
    const step = fc.record({
      principal: fc.constantFrom('a', 'b', 'c', 'd'),
      ends: fc.nat({ max: 30 }),
      isEnd: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const queue = createAdmissionQueue(limit, shared);
        const held: { principal: string; release: () => void }[] = [];
        const waiting = new Map<string, number>();
        const change = (principal: string, by: number) => waiting.set(principal, (waiting.get(principal) ?? 0) + by);
        for (const { principal, ends, isEnd } of steps) {
          if (isEnd) held.splice(ends % Math.max(1, held.length), 1)[0]?.release();
          else {
            change(principal, 1);
            void queue.enter(patient(), { principal }).then((permit) => {
              change(principal, -1);
              held.push({ principal, release: () => permit.release() });
            });
          }
          for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
          expect(queue.inFlight()).toBe(held.length);
          const free = limit - held.length;
          for (const [name, count] of waiting) {
            const has = held.filter((other) => other.principal === name).length;
            if (count > 0) expect(free > 0 && (has === 0 || has + 1 <= 7 * (free - 1))).toBe(false);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
