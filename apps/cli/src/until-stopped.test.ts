import { expect, it } from 'vitest';
import { untilStopped } from './until-stopped.js';

it('begins nothing when it was stopped before', async () => {
  let begun = 0;
  const begin = async () => ++begun;
  await expect(untilStopped(begin, AbortSignal.abort(new Error('Ctrl-C')))).rejects.toThrow('Ctrl-C');
  expect(begun).toBe(0);
});

it('waits for its end, or for a stop', async () => {
  const stop = new AbortController();
  expect(await untilStopped(async () => 7, stop.signal)).toBe(7);
  await expect(untilStopped(() => Promise.reject(new Error('broken')), stop.signal)).rejects.toThrow('broken');
  const never = untilStopped(() => new Promise(() => {}), stop.signal);
  stop.abort(new Error('Ctrl-C'));
  await expect(never).rejects.toThrow('Ctrl-C');
});
