import { expect, test } from 'vitest';
import { readWaiting, shownOf, waitingLimits } from './waiting-tickets.js';

type Ticket = Awaited<ReturnType<typeof readWaiting>>['tickets'][number];

/** Newest first; the oldest expires first. */
const serviceWith = (count: number) => {
  const all = Array.from({ length: count }, (_, at) => ({ id: `t${count - at}`, expires_at: count - at }) as Ticket);
  return async ({ limit, offset }: { readonly limit: number; readonly offset: number }) => ({
    approvals: all.slice(offset, offset + limit),
    total: count,
  });
};

test('the tickets that expire first are found behind newer ones', async () => {
  const { tickets, total } = await readWaiting(serviceWith(1200));
  expect([tickets.length, total, tickets[0]?.id, tickets.at(-1)?.id]).toEqual([1200, 1200, 't1', 't1200']);
});

test('a ticket that comes on two pages is one', async () => {
  const readPage = serviceWith(600);
  const { tickets } = await readWaiting(({ limit, offset }) => readPage({ limit, offset: Math.max(0, offset - 1) }));
  expect(new Set(tickets.map(({ id }) => id)).size).toBe(tickets.length);
});

test('more than are read are counted', async () => {
  const { tickets, total } = await readWaiting(serviceWith(waitingLimits.all + 1));
  expect([tickets.length, total]).toEqual([waitingLimits.all, waitingLimits.all + 1]);
});

test('what is shown of them is said where it is not all', () => {
  expect([shownOf(50, 5200), shownOf(3, 3)]).toEqual(['The first 50 of 5,200', undefined]);
});
