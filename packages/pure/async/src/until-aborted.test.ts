// Waiting under a signal: the work's own end, the signal's reason, and no listener that stays.
import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { untilAborted } from './index.js';

it('gives the result or the rejection of the work, and leaves no listener behind', async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(untilAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('rejects with the reason of the signal, whether it has aborted before or does so later', async () => {
  const never = new Promise(() => {});
  const control = new AbortController();
  const waiting = untilAborted(never, control.signal);
  control.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(untilAborted(never, control.signal)).rejects.toThrow('enough');
});
