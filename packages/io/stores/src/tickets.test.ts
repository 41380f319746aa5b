// The behaviour of every ticket store: one suite over every implementation.
import { parseExact, writeExact } from '@portico/contracts';
import {
  createMemoryTicketStore,
  type SettledStatus,
  type Ticket,
  type TicketDraft,
  type TicketRef,
  type TicketStore,
} from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { createdAtMs, draftOf } from './testing/draft.js';
import { createGenerations } from './testing/generations.js';
import { useDatabases } from './testing/use-databases.js';
import { createTicketStore } from './tickets.js';

const { postgres, sqlites } = await useDatabases();
const { openFirst, laterOf } = createGenerations(createTicketStore);

const implementations: readonly (readonly [string, () => Promise<TicketStore>])[] = [
  ['memory', async () => createMemoryTicketStore()],
  ...sqlites.map(({ name, open }) => [name, async () => openFirst(await open())] as const),
  ['PostgreSQL', async () => openFirst(await postgres.open())],
];

const approved: SettledStatus = {
  status: 'approved',
  operator: 'ann',
  timestamp: 1_760_000_001,
  modifiedArgs: { path: '/b' },
};
const rejected: SettledStatus = {
  status: 'rejected',
  operator: 'bob',
  timestamp: 1_760_000_002,
  reason: 'no — nie 🙅',
};
const expired: SettledStatus = { status: 'expired', timestamp: 1_760_000_300 };

const unknownIds = [
  '',
  'appr-',
  'appr-1760000000-0',
  'appr-1760000000-99',
  'appr-01760000000-1',
  'appr-1760000000-01',
  'samp-1760000000-1',
  ' appr-1760000000-1',
  '1',
  `appr-1-${'9'.repeat(20)}`,
];

const keyless = (some: Partial<TicketDraft> = {}) => draftOf({ key: null, ...some });

async function openOne(store: TicketStore, draft: TicketDraft = keyless()): Promise<Ticket> {
  return (await store.open(draft)).ticket;
}

async function openRunning(store: TicketStore, draft?: TicketDraft): Promise<Ticket> {
  const ticket = await openOne(store, draft);
  await store.settle(ticket.id, approved);
  await store.startRun(ticket.id);
  return ticket;
}

async function openFinished(store: TicketStore, draft?: TicketDraft): Promise<Ticket> {
  const ticket = await openRunning(store, draft);
  await store.finishRun(ticket.id, '{"ok":true}');
  return ticket;
}

async function listed(store: TicketStore, limit: number, offset: number, status?: Ticket['status']['status']) {
  const { tickets, total } = await store.list({ limit, offset, ...(status && { status }) });
  return { ids: tickets.map(({ id }) => id), total };
}

describe.each(implementations)('ticket store in %s', (_where, open) => {
  it('opens a pending ticket with everything it was given', async () => {
    const store = await open();
    const { ticket, isNew } = await store.open(draftOf());
    expect(isNew).toBe(true);
    expect(ticket).toEqual({ ...draftOf(), id: ticket.id, status: { status: 'pending' }, run: { state: 'none' } });
    expect(await store.get(ticket.id)).toEqual(ticket);
  });

  it('gives ids of the second of their creation and a counter, each once', async () => {
    const store = await open();
    const opened = await Promise.all(Array.from({ length: 50 }, () => openOne(store)));
    const ids = opened.map(({ id }) => id);
    for (const id of ids) expect(id).toMatch(/^appr-1760000000-[1-9]\d*$/);
    expect(new Set(ids).size).toBe(50);
  });

  it('never gives an id again, also when the newest ticket has been purged', async () => {
    const store = await open();
    const first = await openOne(store);
    await store.settle(first.id, rejected);
    expect(await store.purge(createdAtMs + 1)).toBe(1);
    expect((await openOne(store)).id).not.toBe(first.id);
  });

  it.each(unknownIds)('knows no ticket %j', async (id) => {
    const store = await open();
    await openOne(store);
    expect([await store.get(id), await store.settle(id, approved), await store.startRun(id)]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    await store.finishRun(id, '{}');
  });

  it('knows no ticket by its counter with the second of another', async () => {
    const store = await open();
    const { id } = await openOne(store);
    for (const second of ['1759999999', '1760000001']) {
      const other = id.replace('1760000000', second);
      expect([await store.get(other), await store.settle(other, approved)]).toEqual([undefined, undefined]);
    }
  });

  it('keeps arguments of any text and any key', async () => {
    const store = await open();
    const args = JSON.parse(
      '{"__proto__": {"admin": true}, "constructor": 1, "naïve 🎉": "\\u0000\\ud800\\"", "": [null]}',
    );
    const correlation = { requestId: null, traceId: 't', context: { actor_id: 'Jürgen' } };
    const ticket = await openOne(
      store,
      draftOf({ args, sanitizedArgs: args, correlation, profile: 'dev', principal: '用户' }),
    );
    const found = await store.findByKey('用户', 'k-1');
    expect(found).toEqual(ticket);
    expect(JSON.stringify(found?.args)).toBe(JSON.stringify(args));
    expect(Object.keys(found?.args ?? {})).toContain('__proto__');
    expect([found?.correlation, found?.profile]).toEqual([correlation, 'dev']);
  });

  it('keeps every digit of the arguments that an approval changed', async () => {
    const store = await open();
    const text = '{"id":1098765432109876543,"n":1e400,"in":[1.0,{"zero":-0.0}]}';
    const { id } = await openOne(store);
    const settled = await store.settle(id, { ...approved, modifiedArgs: parseExact(text) });
    for (const ticket of [settled, await store.get(id), (await store.list({ limit: 1, offset: 0 })).tickets[0]])
      expect(writeExact(ticket?.status)).toContain(`"modifiedArgs":${text}`);
  });

  it('keeps under which role a call was made, and by whom', async () => {
    const store = await open();
    const { id } = await openOne(store, keyless({ role: 'reader', actor: 'ann' }));
    expect(await store.get(id)).toMatchObject({ role: 'reader', actor: 'ann' });
  });

  it('lists what is of one principal, and counts nothing else', async () => {
    const store = await open();
    const [first, , third] = [
      await openOne(store, keyless()),
      await openOne(store, keyless({ principal: 'bob' })),
      await openOne(store, keyless()),
    ];
    await store.settle(first.id, rejected);
    const list = async (query: object) => {
      const { tickets, total } = await store.list({ limit: 10, offset: 0, ...query });
      return [tickets.map(({ id }) => id), total];
    };
    expect(await list({ principal: 'ann' })).toEqual([[third.id, first.id], 2]);
    expect(await list({ principal: 'ann', status: 'pending' })).toEqual([[third.id], 1]);
    expect(await list({ principal: 'ann', limit: 1 })).toEqual([[third.id], 2]);
    expect(await list({ principal: 'eve' })).toEqual([[], 0]);
  });

  it('joins the pending ticket of the same key, as it is', async () => {
    const store = await open();
    const first = await openOne(store, draftOf());
    const second = draftOf({ capabilityId: 'files.delete', key: { key: 'k-1', fingerprint: 'f-2' } });
    expect(await store.open(second)).toEqual({ ticket: first, isNew: false });
  });

  it('opens one ticket for 50 of one key at once', async () => {
    const store = await open();
    const opened = await Promise.all(Array.from({ length: 50 }, () => store.open(draftOf())));
    expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(opened.map(({ ticket }) => ticket.id)).size).toBe(1);
  });

  it.each<[string, TicketDraft, TicketDraft]>([
    ['of another principal', draftOf(), draftOf({ principal: 'bob' })],
    ['of another key', draftOf(), draftOf({ key: { key: 'k-2', fingerprint: 'f-1' } })],
    ['without a key', keyless(), keyless()],
    ['without a key for a call with one', keyless(), draftOf()],
  ])('does not join a ticket %s', async (_which, first, second) => {
    const store = await open();
    const ticket = await openOne(store, first);
    const { ticket: other, isNew } = await store.open(second);
    expect(isNew).toBe(true);
    expect(other.id).not.toBe(ticket.id);
  });

  it.each([approved, rejected, expired])('does not join a ticket that is $status', async (status) => {
    const store = await open();
    const first = await openOne(store, draftOf());
    await store.settle(first.id, status);
    const { ticket, isNew } = await store.open(draftOf());
    expect(isNew).toBe(true);
    expect((await store.findByKey('ann', 'k-1'))?.id).toBe(ticket.id);
  });

  it('finds the newest ticket of a principal and key only', async () => {
    const store = await open();
    await openOne(store, draftOf());
    await openOne(store);
    expect(await store.findByKey('bob', 'k-1')).toBeUndefined();
    expect(await store.findByKey('ann', 'k-2')).toBeUndefined();
  });

  it.each([approved, rejected, expired])('settles a pending ticket as $status, once', async (status) => {
    const store = await open();
    const ticket = await openOne(store);
    expect(await store.settle(ticket.id, status)).toEqual({ ...ticket, status });
    expect(await store.settle(ticket.id, expired)).toBeUndefined();
    expect(await store.get(ticket.id)).toEqual({ ...ticket, status });
  });

  it('settles, redefines and reopens a ticket only for the definition that it asks about', async () => {
    const store = await open();
    const [one, two] = ['d1', 'd2'].map((digest) => ({
      digest,
      server: 's',
      name: 'n',
      program: 'p',
      definition: null,
    }));
    const { ticket } = await store.open(draftOf({ definition: one! }));
    expect(await store.settle(ticket.id, approved, 'd2')).toBeUndefined();
    expect(await store.redefine(ticket.id, null, two!)).toBeUndefined();
    const asked = { ...two!, before: one! };
    expect(await store.redefine(ticket.id, 'd1', asked)).toEqual({ ...ticket, definition: asked });
    expect(await store.settle(ticket.id, approved, 'd1')).toBeUndefined();
    expect(await store.settle(ticket.id, approved, 'd2')).toMatchObject({ status: approved });
    expect(await store.startRun(ticket.id)).toBe(true);
    const later = ticket.expiresAtMs + 1000;
    const reopened = { ...ticket, definition: asked, expiresAtMs: later };
    expect(await store.reopen(ticket.id, asked, later)).toEqual(reopened);
    expect(await store.reopen(ticket.id, asked, later)).toBeUndefined();
    expect(await store.get(ticket.id)).toEqual(reopened);
  });

  it('lets one of many that settle at once win', async () => {
    const store = await open();
    const { id } = await openOne(store);
    const statuses = Array.from({ length: 50 }, (_, i) => [approved, rejected, expired][i % 3] ?? expired);
    const answers = await Promise.all(statuses.map((status) => store.settle(id, status)));
    const winners = answers.filter((answer) => answer !== undefined);
    expect(winners).toHaveLength(1);
    expect(winners).toEqual([await store.get(id)]);
  });

  it('starts the run of an approved ticket once, of 50 that try at once', async () => {
    const store = await open();
    const ticket = await openOne(store);
    await store.settle(ticket.id, approved);
    const started = await Promise.all(Array.from({ length: 50 }, () => store.startRun(ticket.id)));
    expect(started.filter((wasStarted) => wasStarted)).toHaveLength(1);
    expect(await store.get(ticket.id)).toEqual({ ...ticket, status: approved, run: { state: 'started' } });
  });

  it('starts no run of a ticket that is not approved, nor of one whose run has finished', async () => {
    const store = await open();
    const [pending, refused, finished] = [await openOne(store), await openOne(store), await openFinished(store)];
    await store.settle(refused.id, rejected);
    expect(await Promise.all([pending, refused, finished].map(({ id }) => store.startRun(id)))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('keeps the outcome of a run', async () => {
    const store = await open();
    const ticket = await openRunning(store);
    const result = JSON.stringify({ ok: true, data: 'Grüße 🎉' });
    await store.finishRun(ticket.id, result);
    expect(await store.get(ticket.id)).toEqual({ ...ticket, status: approved, run: { state: 'finished', result } });
  });

  it('lists newest first, by status, in pages, with the number of all that match', async () => {
    const store = await open();
    const [a, b, c, d] = [await openOne(store), await openOne(store), await openOne(store), await openOne(store)];
    await store.settle(b.id, rejected);
    expect(await listed(store, 10, 0)).toEqual({ ids: [d.id, c.id, b.id, a.id], total: 4 });
    expect(await listed(store, 2, 1)).toEqual({ ids: [c.id, b.id], total: 4 });
    expect(await listed(store, 2, 4)).toEqual({ ids: [], total: 4 });
    expect(await listed(store, 2, 0, 'pending')).toEqual({ ids: [d.id, c.id], total: 3 });
    expect(await listed(store, 2, 2, 'pending')).toEqual({ ids: [a.id], total: 3 });
    expect(await listed(store, 10, 0, 'rejected')).toEqual({ ids: [b.id], total: 1 });
    expect(await listed(store, 10, 0, 'expired')).toEqual({ ids: [], total: 0 });
  });

  it('hands over what is unfinished, oldest first, once', async () => {
    const store = await open();
    const [pending, toApprove, running] = [await openOne(store), await openOne(store), await openRunning(store)];
    await openFinished(store);
    await store.settle((await openOne(store)).id, rejected);
    await store.settle((await openOne(store)).id, expired);
    await store.settle(toApprove.id, approved);
    expect(await laterOf(store).claim()).toEqual({
      pending: [refOf(pending)],
      approved: [toApprove, running].map(refOf),
    });
  });

  it('purges what is older and done, and counts it', async () => {
    const store = await open();
    const keep = [await openOne(store), await openRunning(store)];
    const young = await openFinished(store, keyless({ createdAtMs: createdAtMs + 1 }));
    const old = await openFinished(store);
    await store.settle((await openOne(store)).id, rejected);
    expect(await store.purge(createdAtMs)).toBe(0);
    expect(await store.purge(createdAtMs + 1)).toBe(2);
    expect(await store.get(old.id)).toBeUndefined();
    expect((await listed(store, 10, 0)).ids).toEqual([young, ...keep.reverse()].map(({ id }) => id));
  });
});

function refOf({ id, principal, serverId, correlation, key, expiresAtMs, args }: Ticket): TicketRef {
  const { requestId } = correlation;
  return { id, principal, serverId, requestId, key, expiresAtMs, argsLength: JSON.stringify(args).length };
}
