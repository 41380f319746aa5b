// Work that takes long, on a clock that moves when a test says so: what waits, for how long, and in which order.
import { createManualClock, type ManualClock } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { createPacer, type Pacer } from './pacer.js';

/** A clock whose time a piece of work can use up without letting go of the event loop. */
function start() {
  const clock = createManualClock();
  let worked = 0;
  const pacer = createPacer({ ...clock, now: () => clock.now() + worked });
  const done: string[] = [];
  const work = async (name: string, ms: number, principal = 'ann', signal?: AbortSignal) => {
    const turn = pacer.turn(principal, signal);
    if (turn !== undefined) await turn;
    worked += ms;
    done.push(name);
  };
  return { clock, pacer, work, done };
}

const mayBegin = (pacer: Pacer) => pacer.turn('ann') === undefined;
const turnOfLoop = (clock: ManualClock) => clock.advance(0);

describe('a piece of work', () => {
  it('begins at once while pieces are brief, however many there are in a turn of the loop', async () => {
    const { clock, pacer, work } = start();
    for (let i = 0; i < 15; i += 1) await work('brief', 0.1);
    expect(mayBegin(pacer)).toBe(true);
    await turnOfLoop(clock);
    expect(mayBegin(pacer)).toBe(true);
  });

  it('waits behind brief ones that together take long in one turn of the loop', async () => {
    const { clock, work, done } = start();
    for (let i = 0; i < 8; i += 1) await work('brief', 0.25);
    const last = work('last', 0.1);
    expect(done).not.toContain('last');
    await clock.advance(2);
    await last;
  });

  it('that took long has the next wait for as long', async () => {
    const { clock, work, done } = start();
    await work('first', 100);
    const second = work('second', 0);
    await clock.advance(99);
    expect(done).toEqual(['first']);
    await clock.advance(1);
    await second;
  });

  it('that took very long has the next wait for a second', async () => {
    const { clock, work, done } = start();
    await work('first', 60_000);
    const second = work('second', 0);
    await clock.advance(999);
    expect(done).toEqual(['first']);
    await clock.advance(1);
    await second;
  });

  it('has its turn between those of another principal, however many of that one wait', async () => {
    const { clock, work, done } = start();
    await work('m0', 10, 'mallory');
    for (let i = 1; i <= 5; i += 1) void work(`m${i}`, 10, 'mallory');
    void work('b1', 10, 'bob');
    await clock.advance(1000);
    expect(done).toEqual(['m0', 'm1', 'b1', 'm2', 'm3', 'm4', 'm5']);
  });

  it('is no longer waited for when its signal aborts, and delays none behind it', async () => {
    const { clock, work, done } = start();
    const control = new AbortController();
    await work('first', 10);
    const given = work('given up', 10, 'ann', control.signal);
    const next = work('next', 10);
    control.abort(new Error('the caller went away'));
    await expect(given).rejects.toThrow('the caller went away');
    await expect(work('late', 10, 'ann', control.signal)).rejects.toThrow('the caller went away');
    await clock.advance(10);
    await next;
    expect(done).toEqual(['first', 'next']);
  });

  it('leaves no timer behind', async () => {
    const { clock, work } = start();
    await work('first', 10);
    void work('second', 10);
    await clock.advance(1000);
    expect(clock.sleeping()).toBe(0);
  });
});

describe('a piece of work that asks for a later turn', () => {
  it('begins in another turn of the loop, though nothing has been done before', async () => {
    const { clock, pacer } = start();
    let hasBegun = false;
    void pacer.laterTurn('ann').then(() => {
      hasBegun = true;
    });
    await undefined;
    await undefined;
    expect(hasBegun).toBe(false);
    await turnOfLoop(clock);
    expect(hasBegun).toBe(true);
  });

  it('waits after a long piece as long as others do', async () => {
    const { clock, pacer, work, done } = start();
    await work('first', 100);
    void pacer.laterTurn('ann').then(() => done.push('second'));
    await clock.advance(99);
    expect(done).toEqual(['first']);
    await clock.advance(1);
    expect(done).toEqual(['first', 'second']);
  });
});
