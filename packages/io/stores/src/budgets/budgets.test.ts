// The behaviour of every store of accounts: one suite over every implementation.
import { type BudgetStore, type Charge, createMemoryBudgetStore } from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { useDatabases } from '../testing/use-databases.js';
import { createBudgetStore } from './budgets.js';

const { temp, postgres, sqlites } = await useDatabases();

const implementations: readonly (readonly [string, () => Promise<BudgetStore>])[] = [
  ['memory', async () => createMemoryBudgetStore()],
  ...sqlites.map(({ name, open }) => [name, async () => createBudgetStore(await open())] as const),
  ['PostgreSQL', async () => createBudgetStore(await postgres.open())],
];

const day = { startMs: 1000, endMs: 2000 };
const chargeOf = (more: Partial<Charge> = {}): Charge => {
  return { budget: 'b', scope: 'ada', ...day, limits: { calls: 2, resultBytes: 1000 }, costMicros: 3, ...more };
};
const took = (resultBytes: number) => ({ resultBytes, resultTokens: 1, upstreamUs: 2 });

async function reserved(store: BudgetStore, ...charges: readonly Charge[]) {
  const charged = await store.reserve(charges);
  if (!charged.isReserved) throw new Error(`${charged.measure} is used up`);
  return charges.map((charge, at) => ({
    ...charge,
    reservation: charged.reservations[at] ?? { generation: 0, costMicros: 0, amounts: took(0) },
  }));
}

describe.each(implementations)('accounts in %s', (_name, open) => {
  it('are charged with a call from its reservation on, and with its result at its end', async () => {
    const store = await open();
    const [call] = await reserved(store, chargeOf());
    if (call === undefined) throw new Error('nothing was reserved');
    expect(await store.read([chargeOf()])).toEqual([
      expect.objectContaining({ calls: 1, costMicros: 3, inFlight: 1, resultBytes: 0 }),
    ]);
    const [account] = await store.settle([{ ...call, took: took(70) }]);
    expect(account).toMatchObject({ calls: 1, resultBytes: 70, resultTokens: 1, upstreamUs: 2, inFlight: 0 });
    expect(await store.read([chargeOf(), chargeOf({ scope: 'other' })])).toEqual([
      account,
      expect.objectContaining({ calls: 0 }),
    ]);
  });

  it('are all charged, or none of them', async () => {
    const store = await open();
    const full = chargeOf({ budget: 'c', limits: { calls: 1 } });
    await reserved(store, full);
    expect(await store.reserve([chargeOf(), full])).toMatchObject({
      isReserved: false,
      measure: 'calls',
      charge: full,
    });
    expect(await store.read([chargeOf()])).toMatchObject([{ calls: 0 }]);
  });

  it('never go over for 64 callers at once, over two connections', async () => {
    const store = await open();
    const limited = chargeOf({ limits: { calls: 20 } });
    const other = chargeOf({ budget: 'z', limits: {} });
    const charged = await Promise.all(Array.from({ length: 64 }, () => store.reserve([limited, other])));
    expect(charged.filter(({ isReserved }) => isReserved)).toHaveLength(20);
    expect(await store.read([limited, other])).toMatchObject([{ calls: 20 }, { calls: 20 }]);
  });

  it('are listed until their slot ends, emptied by name or all, and removed later', async () => {
    const store = await open();
    await reserved(
      store,
      chargeOf(),
      chargeOf({ scope: 'bob' }),
      chargeOf({ budget: 'always', startMs: 0, endMs: null }),
    );
    expect((await store.list(1999, 10)).map(({ budget, scope }) => `${budget} ${scope}`).sort()).toEqual([
      'always ada',
      'b ada',
      'b bob',
    ]);
    expect(await store.list(1999, 2)).toHaveLength(2);
    expect((await store.list(2000, 10)).map(({ budget }) => budget)).toEqual(['always']);
    expect([
      await store.reset('b', 'bob'),
      await store.reset('b', undefined),
      await store.reset('b', undefined),
    ]).toEqual([1, 1, 0]);
    await reserved(store, chargeOf());
    expect([await store.purge(2000), await store.purge(2001)]).toEqual([0, 1]);
  });

  it('take a call that ends after a reset for nothing', async () => {
    const store = await open();
    const calls = await reserved(store, chargeOf());
    await store.reset('b', undefined);
    expect(await store.settle(calls.map((call) => ({ ...call, took: took(5) })))).toEqual([undefined]);
    expect(await store.read([chargeOf()])).toMatchObject([{ calls: 0 }]);
  });

  it.each([
    ['its result', took(900)],
    ['nothing', 'not_sent'],
  ] as const)('are not settled by a call of before a reset that took %s', async (_took, ended) => {
    const store = await open();
    const before = await reserved(store, chargeOf());
    await store.reset('b', undefined);
    const after = await reserved(store, chargeOf());
    expect(await store.settle(before.map((call) => ({ ...call, took: ended })))).toEqual([undefined]);
    expect(await store.read([chargeOf()])).toMatchObject([{ calls: 1, inFlight: 1, resultBytes: 0 }]);
    expect(await store.settle(after.map((call) => ({ ...call, took: took(7) })))).toMatchObject([
      { calls: 1, inFlight: 0, resultBytes: 7, reserved: { resultBytes: 0 } },
    ]);
  });

  it('hold names of any text', async () => {
    const store = await open();
    const scope = `É"\\'${'x'.repeat(180)}`;
    await reserved(store, chargeOf({ scope }));
    expect((await store.list(1500, 10))[0]?.scope).toBe(scope);
  });
});

it.each(sqlites)(
  'accounts in $name outlive a process, and what its calls held and its lease stay charged',
  async ({ open }) => {
    const directory = await temp.create();
    const first = await open(directory);
    const charge = chargeOf({ limits: { calls: 5, resultBytes: 1000 } });
    const store = createBudgetStore(first);
    const [settled] = await reserved(store, charge);
    if (settled !== undefined) await store.settle([{ ...settled, took: took(100) }]);
    await reserved(store, charge);
    await first.close();
    const again = createBudgetStore(await open(directory));
    await again.recover();
    expect(await again.read([charge])).toMatchObject([{ calls: 2, inFlight: 0, resultBytes: 210 }]); // a lease adds 1 % of the limit
  },
);

it('several daemons on one PostgreSQL use up an account together, and no more', async () => {
  const url = await postgres.create();
  const stores = [createBudgetStore(await postgres.open(url)), createBudgetStore(await postgres.open(url))];
  const charge = chargeOf({ limits: { calls: 30 } });
  const other = chargeOf({ budget: 'a', limits: {} });
  const charged = await Promise.all(
    Array.from({ length: 60 }, (_, at) => stores[at % 2]?.reserve(at % 3 === 0 ? [other, charge] : [charge])),
  );
  expect(charged.filter((each) => each?.isReserved)).toHaveLength(30);
});

describe('the calls of an ended daemon on PostgreSQL', () => {
  const charge = chargeOf({ limits: { calls: 30, resultBytes: 1000 } });

  async function twoDaemons() {
    const url = await postgres.create();
    const [gone, left] = [await postgres.open(url), await postgres.open(url)];
    return { gone, first: createBudgetStore(gone), second: createBudgetStore(left) };
  }

  it('stay charged as the largest one, and hold nothing any more', async () => {
    const { gone, first, second } = await twoDaemons();
    const [settledCall] = await reserved(first, charge);
    if (settledCall !== undefined) await first.settle([{ ...settledCall, took: took(100) }]);
    await reserved(first, charge);
    await reserved(first, charge);
    const [own] = await reserved(second, charge);
    await second.recover();
    expect(await second.read([charge])).toMatchObject([{ calls: 4, inFlight: 3, reserved: { resultBytes: 300 } }]);
    await gone.close();
    await second.recover();
    await second.recover();
    expect(await second.read([charge])).toMatchObject([
      { calls: 4, inFlight: 1, resultBytes: 300, reserved: { resultBytes: 100 } },
    ]);
    if (own !== undefined) await second.settle([{ ...own, took: took(50) }]);
    expect(await second.read([charge])).toMatchObject([
      { calls: 4, inFlight: 0, resultBytes: 350, reserved: { resultBytes: 0 } },
    ]);
  });

  it('take nothing of what others hold, if that daemon was only taken for ended', async () => {
    const { gone, first, second } = await twoDaemons();
    const [call] = await reserved(first, charge);
    await reserved(second, charge);
    await gone.write((trx) => trx.deleteFrom('daemons').where('id', '=', gone.owner).execute());
    await second.recover();
    expect(await second.read([charge])).toMatchObject([{ calls: 2, inFlight: 1, reserved: { resultBytes: 20 } }]);
    if (call !== undefined) await first.settle([{ ...call, took: took(10) }]);
    expect(await second.read([charge])).toMatchObject([
      { calls: 2, inFlight: 1, resultBytes: 10, reserved: { resultBytes: 20 } },
    ]);
  });
});
