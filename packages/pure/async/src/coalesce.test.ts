// Requests during a run share one more run.
import { expect, it } from 'vitest';
import { coalesce } from './index.js';

it('answers requests that are made during a run by one more run', async () => {
  const ends: (() => void)[] = [];
  const coalesced = coalesce(() => new Promise((resolve) => void ends.push(resolve)));
  coalesced.ask();
  expect(ends).toHaveLength(1);
  for (let i = 0; i < 5; i += 1) coalesced.ask();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await coalesced.done();
  expect(ends).toHaveLength(2);
  coalesced.ask();
  expect(ends).toHaveLength(3);
});

it('is done at once where nothing was asked for', async () => {
  await expect(coalesce(async () => {}).done()).resolves.toBeUndefined();
});
