// How long a delivery pauses before it tries again.
import { expect, it } from 'vitest';
import { createPostWithRetries } from './post-with-retries.js';

const request = { url: 'http://127.0.0.1/', headers: new Headers(), body: new Uint8Array() };

async function pausesAfter(headers: Record<string, string>, status: number) {
  const pauses: number[] = [];
  const post = createPostWithRetries({
    fetch: async () => new Response(null, { status, headers }),
    delaysMs: [1000, 5000],
    timeoutMs: 60_000,
    inTurn: (work) => work(),
    async pause(ms) {
      pauses.push(ms);
      return true;
    },
  });
  const { tries } = await post(request, new AbortController().signal);
  return { pauses, tries };
}

it.each([429, 503])('waits as long as Retry-After of a %i asks for, where that is longer', async (status) => {
  const { pauses, tries } = await pausesAfter({ 'Retry-After': '3' }, status);
  expect(tries).toBe(3);
  expect(pauses[0]).toBe(3000);
  expect(pauses[1]).toBeGreaterThanOrEqual(4000);
});

it('waits 5 minutes at most', async () => {
  expect((await pausesAfter({ 'Retry-After': '86400' }, 429)).pauses).toEqual([300_000, 300_000]);
});

it('uses its own pauses without one', async () => {
  const { pauses } = await pausesAfter({}, 500);
  expect(pauses[0]).toBeGreaterThanOrEqual(800);
  expect(pauses[0]).toBeLessThanOrEqual(1200);
});
