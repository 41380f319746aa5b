import { expect, it } from 'vitest';
import { shareRuns } from './share-runs.js';

it('gives who comes while it runs a run of their own, and one for all of them', async () => {
  const ends: ((value: number) => void)[] = [];
  const ask = shareRuns(() => new Promise<number>((resolve) => ends.push(resolve)));
  const first = ask();
  const others = [ask(), ask(), ask()];
  expect(ends).toHaveLength(1);
  ends[0]?.(1);
  expect(await first).toBe(1);
  await Promise.resolve();
  expect(ends).toHaveLength(2);
  const late = ask();
  ends[1]?.(2);
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  await Promise.resolve();
  ends[2]?.(3);
  expect(await late).toBe(3);
});

it('goes on after a run that failed', async () => {
  let runs = 0;
  const ask = shareRuns(async () => {
    runs += 1;
    if (runs === 1) throw new Error('unreadable');
    return runs;
  });
  const [first, second] = await Promise.allSettled([ask(), ask()]);
  expect([first?.status, second]).toEqual(['rejected', { status: 'fulfilled', value: 2 }]);
  expect(await ask()).toBe(3);
});
