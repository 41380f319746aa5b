// One at a time: order, failures, keys, and the end of all.
import { describe, expect, it } from 'vitest';
import { createKeyedMutex, createMutex } from './index.js';

/** Work whose end the test decides. */
function held<T = void>() {
  let end = (_value: T) => {};
  let fail = (_error: Error) => {};
  const promise = new Promise<T>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { promise, end: (value: T) => end(value), fail: (error: Error) => fail(error) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('createMutex', () => {
  it('begins work when the work before it has ended, and gives each its own result', async () => {
    const mutex = createMutex();
    const first = held<string>();
    const begun: string[] = [];
    const one = mutex.run(() => {
      begun.push('one');
      return first.promise;
    });
    const two = mutex.run(() => {
      begun.push('two');
      return 2;
    });
    await settled();
    expect(begun).toEqual(['one']);
    first.end('done');
    expect([await one, await two, begun]).toEqual(['done', 2, ['one', 'two']]);
  });

  it('goes on after work that rejects or throws', async () => {
    const mutex = createMutex();
    const results = await Promise.allSettled([
      mutex.run(() => Promise.reject(new Error('rejected'))),
      mutex.run(() => {
        throw new Error('thrown');
      }),
      mutex.run(() => 'fine'),
    ]);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message))).toEqual([
      'rejected',
      'thrown',
      'fine',
    ]);
  });

  it('is idle when all work has ended, failed work too', async () => {
    const mutex = createMutex();
    await mutex.idle();
    const work = held();
    let isIdle = false;
    const failed = mutex.run(() => work.promise).catch((error: Error) => error.message);
    const idle = mutex.idle().then(() => {
      isIdle = true;
    });
    await settled();
    expect(isIdle).toBe(false);
    work.fail(new Error('no'));
    await idle;
    expect(await failed).toBe('no');
  });
});

describe('createKeyedMutex', () => {
  it('runs work under one key one after the other, and under others beside it', async () => {
    const exclusively = createKeyedMutex();
    const work = held();
    const begun: string[] = [];
    const run = (key: string, name: string, until?: Promise<void>) =>
      exclusively(key, async () => {
        begun.push(name);
        await until;
      });
    const all = [run('a', 'first', work.promise), run('a', 'second'), run('b', 'other')];
    await settled();
    expect(begun).toEqual(['first', 'other']);
    work.end();
    await Promise.all(all);
    expect(begun).toEqual(['first', 'other', 'second']);
    await run('a', 'third');
    expect(begun.at(-1)).toBe('third');
  });
});
