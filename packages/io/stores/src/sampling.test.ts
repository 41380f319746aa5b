// The behaviour of every store of sampling tickets: one suite over every implementation.
import {
  createMemorySamplingStore,
  type SamplingDraft,
  type SamplingStore,
  type SamplingTicket,
  type SettledSampling,
} from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { createSamplingStore } from './sampling.js';
import { createdAtMs } from './testing/draft.js';
import { createGenerations } from './testing/generations.js';
import { useDatabases } from './testing/use-databases.js';

const { temp, postgres, sqlites } = await useDatabases();
const { openFirst, laterOf } = createGenerations(createSamplingStore);

const implementations: readonly (readonly [string, () => Promise<SamplingStore>])[] = [
  ['memory', async () => createMemorySamplingStore()],
  ...sqlites.map(({ name, open }) => [name, async () => openFirst(await open())] as const),
  ['PostgreSQL', async () => openFirst(await postgres.open())],
];

const completed: SettledSampling = {
  status: 'completed',
  result: { role: 'assistant', content: { type: 'text', text: 'ja — да 🙅' }, model: 'm', stopReason: 'endTurn' },
};
const expired: SettledSampling = { status: 'expired' };

function draftOf(some: Partial<SamplingDraft> = {}): SamplingDraft {
  return {
    serverId: 's',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'how many?' } }], maxTokens: 10 },
    origin: 'upstream',
    correlation: { requestId: 'r-1', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
    principal: 'ann',
    createdAtMs,
    expiresAtMs: createdAtMs + 300_000,
    ...some,
  };
}

const unknownIds = [
  '',
  'samp-1760000000-0',
  'samp-1760000000-99',
  'samp-01760000000-1',
  'samp-1759999999-1',
  'appr-1760000000-1',
  ' samp-1760000000-1',
  `samp-1-${'9'.repeat(20)}`,
];

const idsOf = (tickets: readonly SamplingTicket[]) => tickets.map(({ id }) => id);

describe.each(implementations)('store of sampling tickets in %s', (_where, open) => {
  it('opens a pending ticket with everything it was given', async () => {
    const store = await open();
    const ticket = await store.open(draftOf());
    expect(ticket).toEqual({ ...draftOf(), id: ticket.id, status: { status: 'pending' } });
    expect(await store.get(ticket.id)).toEqual(ticket);
  });

  it('keeps what belongs to no call, and params of any text and key', async () => {
    const store = await open();
    const params = JSON.parse('{"__proto__": {"a": 1}, "naïve 🎉": "\\u0000\\ud800\\"", "messages": []}');
    const ticket = await store.open(draftOf({ params, correlation: null, principal: null, origin: 'http' }));
    const found = await store.get(ticket.id);
    expect(found).toEqual(ticket);
    expect(JSON.stringify(found?.params)).toBe(JSON.stringify(params));
  });

  it('gives ids of the second of their creation and a counter, each once', async () => {
    const store = await open();
    const ids = idsOf(await Promise.all(Array.from({ length: 50 }, () => store.open(draftOf()))));
    for (const id of ids) expect(id).toMatch(/^samp-1760000000-[1-9]\d*$/);
    expect(new Set(ids).size).toBe(50);
  });

  it('never gives an id again, also when the newest ticket has been purged', async () => {
    const store = await open();
    const { id } = await store.open(draftOf());
    await store.settle(id, expired);
    expect(await store.purge(createdAtMs + 1)).toBe(1);
    expect((await store.open(draftOf())).id).not.toBe(id);
  });

  it.each(unknownIds)('knows no ticket %j', async (id) => {
    const store = await open();
    await store.open(draftOf());
    expect([await store.get(id), await store.settle(id, completed)]).toEqual([undefined, undefined]);
  });

  it.each([completed, expired])('settles a pending ticket as $status, once', async (status) => {
    const store = await open();
    const ticket = await store.open(draftOf());
    expect(await store.settle(ticket.id, status)).toEqual({ ...ticket, status });
    expect(await store.settle(ticket.id, completed)).toBeUndefined();
    expect(await store.get(ticket.id)).toEqual({ ...ticket, status });
  });

  it('lets one of many that settle at once win', async () => {
    const store = await open();
    const { id } = await store.open(draftOf());
    const settled = await Promise.all(Array.from({ length: 50 }, () => store.settle(id, completed)));
    expect(settled.filter((ticket) => ticket !== undefined)).toHaveLength(1);
  });

  it('lists the newest first, by status and server, with the number of all that match', async () => {
    const store = await open();
    const [a, b, c] = [
      await store.open(draftOf()),
      await store.open(draftOf({ serverId: 't' })),
      await store.open(draftOf({ principal: 'bob' })),
    ];
    await store.settle(a.id, completed);
    const listed = async (query: object) => {
      const { tickets, total } = await store.list({ limit: 10, offset: 0, ...query });
      return [idsOf(tickets), total];
    };
    expect(await listed({})).toEqual([[c.id, b.id, a.id], 3]);
    expect(await listed({ limit: 1, offset: 1 })).toEqual([[b.id], 3]);
    expect(await listed({ status: 'pending' })).toEqual([[c.id, b.id], 2]);
    expect(await listed({ serverId: 's' })).toEqual([[c.id, a.id], 2]);
    expect(await listed({ serverId: 's', status: 'completed' })).toEqual([[a.id], 1]);
    expect(await listed({ principal: 'bob' })).toEqual([[c.id], 1]);
    expect(await listed({ principal: 'ann', serverId: 's' })).toEqual([[a.id], 1]);
    expect(await listed({ status: 'expired' })).toEqual([[], 0]);
  });

  it('hands over what is pending, oldest first, once', async () => {
    const store = await open();
    const [first, second] = [await store.open(draftOf()), await store.open(draftOf({ origin: 'http' }))];
    await store.settle((await store.open(draftOf())).id, expired);
    const refOf = ({ id, serverId, principal, origin, expiresAtMs, params }: SamplingTicket) => ({
      id,
      serverId,
      principal,
      origin,
      expiresAtMs,
      paramsLength: JSON.stringify(params).length,
    });
    expect(await laterOf(store).claim()).toEqual([first, second].map(refOf));
  });

  it('purges what is older and settled, and counts it', async () => {
    const store = await open();
    const keep = await store.open(draftOf());
    const young = await store.open(draftOf({ createdAtMs: createdAtMs + 1 }));
    for (const { id } of [young, await store.open(draftOf()), await store.open(draftOf())]) {
      await store.settle(id, completed);
    }
    expect(await store.purge(createdAtMs)).toBe(0);
    expect(await store.purge(createdAtMs + 1)).toBe(2);
    expect(idsOf((await store.list({ limit: 10, offset: 0 })).tickets)).toEqual([young.id, keep.id]);
  });
});

describe.each(sqlites)('sampling tickets in $name', ({ open }) => {
  it('outlive the process', async () => {
    const directory = await temp.create();
    const first = await open(directory);
    const ticket = await createSamplingStore(first).open(draftOf());
    await first.close();
    expect(await createSamplingStore(await open(directory)).get(ticket.id)).toEqual(ticket);
  });
});
