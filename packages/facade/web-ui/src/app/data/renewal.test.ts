import { expect, it } from 'vitest';
import { createRenewal } from './renewal.js';

/** Queries whose answers arrive when the test says so; `asked` has the names of each renewal. */
function slowQueries() {
  const asked: string[] = [];
  let answer = () => {};
  const invalidateQueries = ({ queryKey }: { readonly queryKey?: readonly unknown[] } = {}) => {
    asked.push(String(queryKey?.[0] ?? 'all'));
    return new Promise<void>((resolve) => {
      answer = resolve;
    });
  };
  return { asked, invalidateQueries, answer: () => answer() };
}

const betweenMs = 5;
const soon = () => new Promise((resolve) => setTimeout(resolve, 10 * betweenMs));

it('waits for the answers to the last renewal, and then asks once for all changes since', async () => {
  const queries = slowQueries();
  const renew = createRenewal(queries, new AbortController().signal, { betweenMs, longestMs: 60_000 });
  for (let changes = 0; changes < 5; changes += 1) {
    renew();
    await soon();
  }
  expect(queries.asked).toEqual(['all']);
  queries.answer();
  await expect.poll(() => queries.asked).toEqual(['all', 'all']);
  queries.answer();
  await soon();
  expect(queries.asked).toEqual(['all', 'all']);
  renew('resources');
  await expect.poll(() => queries.asked).toEqual(['all', 'all', 'resources']);
});

it('does not wait without limit for an answer that never arrives', async () => {
  const queries = slowQueries();
  const renew = createRenewal(queries, new AbortController().signal, { betweenMs, longestMs: betweenMs });
  renew();
  renew('resources');
  await expect.poll(() => queries.asked).toEqual(['all', 'resources']);
});

it('asks for nothing after its signal aborted', async () => {
  const queries = slowQueries();
  const gone = new AbortController();
  const renew = createRenewal(queries, gone.signal, { betweenMs, longestMs: 60_000 });
  renew();
  renew();
  gone.abort();
  queries.answer();
  await soon();
  expect(queries.asked).toEqual(['all']);
});
