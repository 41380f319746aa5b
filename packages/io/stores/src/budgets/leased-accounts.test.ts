// Accounts that are counted in memory: what their rows have at any time, which is what a kill leaves of them.
import type { Charge, Charged } from '@portico/control-plane';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateDatabase } from '../database.js';
import { useDatabases } from '../testing/use-databases.js';
import { LeasedAccounts } from './leased-accounts.js';

const { sqlites } = await useDatabases();
const [sqlite] = sqlites;
if (sqlite === undefined) throw new Error('no SQLite driver');
const { open } = sqlite;

/** A lease is 1 % of a limit here. */
const leased = 10;
const limits = { calls: 1000, resultBytes: 1_000_000 };
const chargeOf = (more: Partial<Charge> = {}): Charge => {
  return { budget: 'b', scope: '', startMs: 0, endMs: null, limits, costMicros: 0, ...more };
};
const took = (resultBytes: number) => ({ resultBytes, resultTokens: 0, upstreamUs: 0 });

/** Counts the writes that the accounts ask for. */
function counting(database: StateDatabase) {
  const count = { writes: 0 };
  const write: StateDatabase['write'] = (...given) => {
    count.writes += 1;
    return database.write(...given);
  };
  return { accounts: new LeasedAccounts({ ...database, now: database.now, reads: database.reads, write }), count };
}

/** The account that another process would find after a kill of this one. */
const afterKill = (database: StateDatabase, charge = chargeOf()) => new LeasedAccounts(database).read([charge])[0];

async function reserveOne(accounts: LeasedAccounts, charge = chargeOf()) {
  const charged: Charged = await accounts.reserve([charge]);
  const [reservation] = charged.isReserved ? charged.reservations : [];
  if (reservation === undefined) throw new Error('it was not reserved');
  return { ...charge, reservation };
}

const call = fc.record({
  bytes: fc.integer({ min: 0, max: 30_000 }),
  ends: fc.constantFrom('never', 'unsent', 'answered'),
});

describe('accounts with a lease', () => {
  it('have each charge on disk before its call is sent, and before its answer leaves', async () => {
    const property = fc.asyncProperty(fc.array(call, { maxLength: 60 }), async (calls) => {
      const database = await open();
      const accounts = new LeasedAccounts(database);
      const used = { calls: 0, bytes: 0 };
      for (const { bytes, ends } of calls) {
        const charged = await accounts.reserve([chargeOf()]);
        const [reservation] = charged.isReserved ? charged.reservations : [];
        if (reservation === undefined) continue;
        used.calls += 1;
        expect(afterKill(database)?.calls).toBeGreaterThanOrEqual(used.calls);
        if (ends === 'never') continue;
        await accounts.settle([{ ...chargeOf(), reservation, took: ends === 'unsent' ? 'not_sent' : took(bytes) }]);
        if (ends === 'unsent') used.calls -= 1;
        else used.bytes += bytes;
        expect(afterKill(database)?.resultBytes).toBeGreaterThanOrEqual(used.bytes);
      }
      await accounts.release();
      expect(afterKill(database)?.calls ?? 0).toBe(used.calls);
      await database.close();
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('are over by 1 % of a limit at most after a kill', async () => {
    const database = await open();
    const accounts = new LeasedAccounts(database);
    for (let at = 0; at < 300; at += 1) {
      const one = await reserveOne(accounts);
      await accounts.settle([{ ...one, took: took(1000) }]);
      const { calls = 0, resultBytes = 0 } = afterKill(database) ?? {};
      expect(calls).toBeLessThanOrEqual(at + 1 + leased);
      expect(resultBytes).toBeLessThanOrEqual((at + 1) * 1000 + 10_000);
    }
  });

  it('need few writes, and none of the others waits for a turn of the event loop', async () => {
    const { accounts, count } = counting(await open());
    const wide = chargeOf({ limits: { calls: 1_000_000, resultBytes: 1e12 } });
    for (let at = 0; at < 2000; at += 1) {
      const one = await reserveOne(accounts, wide);
      await accounts.settle([{ ...one, took: took(500) }]);
    }
    expect(count.writes).toBeLessThan(40);
    expect(accounts.reserve([wide])).not.toBeInstanceOf(Promise);
  });

  it('share a write among callers at the same time', async () => {
    const { accounts, count } = counting(await open());
    const charge = chargeOf({ limits: { calls: 1000 } });
    await Promise.all(Array.from({ length: 64 }, () => reserveOne(accounts, charge)));
    expect(count.writes).toBe(1);
  });

  it('give a charge back that could not be written', async () => {
    const database = await open();
    let isFull = true;
    const write: StateDatabase['write'] = (...given) =>
      isFull ? Promise.reject(new Error('disk full')) : database.write(...given);
    const accounts = new LeasedAccounts({ ...database, write });
    await expect(accounts.reserve([chargeOf()])).rejects.toThrow('disk full');
    expect(accounts.read([chargeOf()])).toMatchObject([{ calls: 0, inFlight: 0 }]);
    isFull = false;
    await reserveOne(accounts);
    expect(afterKill(database)).toMatchObject({ calls: 1 + leased });
  });

  it('are empty after a reset, also those whose row is about to be written', async () => {
    const database = await open();
    const accounts = new LeasedAccounts(database);
    const first = reserveOne(accounts);
    const reset = accounts.reset('b', undefined);
    const second = reserveOne(accounts);
    await Promise.all([first, reset, second]);
    expect([accounts.read([chargeOf()]), await accounts.list(0, 10)]).toMatchObject([[{ calls: 0 }], []]);
    await reserveOne(accounts);
    expect(afterKill(database)).toMatchObject({ calls: 1 + leased });
  });

  it.each([
    ['reset', (accounts: LeasedAccounts) => accounts.reset('b', undefined)],
    ['purge', (accounts: LeasedAccounts) => accounts.purge(101)],
  ])('count on after a %s that could not be committed', async (_name, change) => {
    const database = await open();
    const full = new Error('disk full');
    let isFull = false;
    const write: StateDatabase['write'] = (run, options) => {
      const failing: typeof run = async (trx) => {
        await run(trx);
        throw full;
      };
      return isFull ? database.write(failing, options) : database.write(run, options);
    };
    const accounts = new LeasedAccounts({ ...database, write });
    const charge = chargeOf({ endMs: 100 });
    const inFlight = await reserveOne(accounts, charge);
    isFull = true;
    await expect(change(accounts)).rejects.toThrow(full);
    isFull = false;
    await reserveOne(accounts, charge);
    const [settled] = await accounts.settle([{ ...inFlight, took: took(900_000) }]);
    expect(settled).toMatchObject({ calls: 2, resultBytes: 900_000, inFlight: 1 });
    expect(afterKill(database, charge)).toMatchObject({ calls: 2 + leased });
    expect(await change(accounts)).toBe(1);
    expect(accounts.read([charge])).toMatchObject([{ calls: 0 }]);
  });

  it('are left to their rows beyond 10,000, and counted on from there', async () => {
    const database = await open();
    const accounts = new LeasedAccounts(database);
    const scopes = Array.from({ length: 11_000 }, (_, at) => chargeOf({ scope: `s${at}` }));
    const calls = await Promise.all(scopes.map((charge) => reserveOne(accounts, charge)));
    await accounts.settle(calls.map((one) => ({ ...one, took: took(7) })));
    await Promise.all(Array.from({ length: 10 }, (_, at) => reserveOne(accounts, chargeOf({ scope: `more ${at}` }))));
    await accounts.release();
    const changed = chargeOf({ scope: 's3' });
    await database.write((trx) =>
      trx.updateTable('budget_accounts').set({ calls: 41 }).where('scope', '=', 's3').execute(),
    );
    expect(accounts.read([changed])).toMatchObject([{ calls: 41 }]); // it is not in memory
    for (const charge of scopes.slice(0, 3)) {
      await reserveOne(accounts, charge);
      expect(accounts.read([charge])).toMatchObject([{ calls: 2, resultBytes: 7, inFlight: 1 }]);
    }
  });
});
