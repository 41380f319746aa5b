// The manual clock moves only on request, and wakes sleepers at their own moments.
import { describe, expect, it } from 'vitest';
import { createManualClock } from './manual-clock.js';

describe('createManualClock', () => {
  it('starts at zero, and at the epoch it is given', () => {
    const clock = createManualClock(1_700_000_000_000);
    expect([clock.now(), clock.epochMs(), clock.sleeping()]).toEqual([0, 1_700_000_000_000, 0]);
  });

  it('wakes sleepers in the order they are due, each at its own moment', async () => {
    const clock = createManualClock();
    const woken: [string, number][] = [];
    const sleep = (name: string, ms: number) => clock.sleep(ms).then(() => woken.push([name, clock.now()]));
    void sleep('late', 30);
    void sleep('early', 10);
    void sleep('early too', 10);
    await clock.advance(29);
    expect(woken).toEqual([
      ['early', 10],
      ['early too', 10],
    ]);
    await clock.advance(1);
    expect(woken.at(-1)).toEqual(['late', 30]);
    expect([clock.now(), clock.epochMs()]).toEqual([30, 30]);
  });

  it('wakes within one advance those who sleep again', async () => {
    const clock = createManualClock();
    const ticks: number[] = [];
    const tick = async () => {
      for (;;) {
        await clock.sleep(10);
        ticks.push(clock.now());
      }
    };
    void tick();
    await clock.advance(35);
    expect(ticks).toEqual([10, 20, 30]);
    expect(clock.now()).toBe(35);
  });

  it('rejects a sleep with the reason of its signal, before and during it, and forgets the sleeper', async () => {
    const clock = createManualClock();
    const control = new AbortController();
    const sleep = clock.sleep(10, control.signal);
    expect(clock.sleeping()).toBe(1);
    control.abort('enough');
    await expect(sleep).rejects.toBe('enough');
    await expect(clock.sleep(10, control.signal)).rejects.toBe('enough');
    expect(clock.sleeping()).toBe(0);
  });
});
