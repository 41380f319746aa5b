import { describe, expect, it } from 'vitest';
import { createReplayCounts } from './replay-counts.js';
import type { Write, WriteOptions } from './write-queue.js';

/** Writes that run when they are let, or are refused before they begin. */
function start() {
  const added: unknown[] = [];
  const queue: { run: () => Promise<void>; refuse: (error: Error) => void }[] = [];
  const write = <T>(work: Write<T>, _options?: WriteOptions): Promise<T> =>
    new Promise((resolve, reject) => {
      const run = async () => resolve(await work({} as Parameters<typeof work>[0])); // the counts only hand it on
      queue.push({ run, refuse: reject });
    });
  const counts = createReplayCounts(write, (_trx, counted) => added.push({ ...counted }));
  return { counts, queue, added };
}

describe('replays that come together', () => {
  it('are one write, each key once, with those that come while it waits', async () => {
    const { counts, queue, added } = start();
    const all = [counts.count('me', 'a'), counts.count('me', 'b'), counts.count('me', 'a'), counts.count('you', 'a')];
    expect(queue).toHaveLength(1);
    await queue[0]?.run();
    await Promise.all(all);
    expect(added).toEqual([
      { scope: 'me', key: 'a', replays: 2 },
      { scope: 'me', key: 'b', replays: 1 },
      { scope: 'you', key: 'a', replays: 1 },
    ]);
  });

  it('are the same when the write runs again, and the next ones are another write', async () => {
    const { counts, queue, added } = start();
    const first = counts.count('me', 'a');
    await queue[0]?.run();
    const second = counts.count('me', 'a');
    await queue[0]?.run();
    await queue[1]?.run();
    await Promise.all([first, second]);
    expect(added).toEqual(Array.from({ length: 3 }, () => ({ scope: 'me', key: 'a', replays: 1 })));
  });

  it('fail together where the write is refused, and do not fail the next ones', async () => {
    const { counts, queue, added } = start();
    const first = counts.count('me', 'a');
    queue[0]?.refuse(new Error('disk full'));
    await expect(first).rejects.toThrow('disk full');
    const next = counts.count('me', 'b');
    expect(queue).toHaveLength(2);
    await queue[1]?.run();
    await next;
    expect(added).toEqual([{ scope: 'me', key: 'b', replays: 1 }]);
  });
});
