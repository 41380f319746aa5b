// How long statements may take: as the address says, on both sides.
import { Kysely, sql } from 'kysely';
import type { PoolConfig } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOf } from '../files.js';
import { createPostgresDatabases, startLimitMs } from '../testing/postgres-databases.js';
import { createDialect, liveLimits, loadDriver } from './pool.js';
import { StorageError } from './storage-error.js';

const postgres = createPostgresDatabases();

beforeAll(postgres.start, startLimitMs);
afterAll(() => postgres.close());

it.each([
  ['', '15s', 20_000],
  ['?statement_timeout=60000', '1min', 65_000],
  ['?application_name=a&statement_timeout=1000#x', '1s', 6000],
  ['?statement_timeout=0', '0', 0],
])(
  'of an address that ends in "%s" the server gives up after %s, and this process later',
  async (query, server, own) => {
    const driver = await loadDriver();
    const asked: PoolConfig[] = [];
    class Pool extends driver.Pool {
      constructor(config: PoolConfig) {
        super(config);
        asked.push(config);
      }
    }
    const url = `${await postgres.create()}${query}`;
    const db = new Kysely<unknown>({ dialect: createDialect({ ...driver, Pool }, url, liveLimits) });
    const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(db);
    await db.destroy();
    expect([rows[0]?.statement_timeout, asked[0]?.query_timeout]).toEqual([server, own]);
  },
);

it('a transaction whose owner stands still is given up by the server after the time of a lease', async () => {
  const driver = await loadDriver();
  const db = new Kysely<unknown>({ dialect: createDialect(driver, await postgres.create(), liveLimits) });
  const asked = sql<{ idle_in_transaction_session_timeout: string }>`show idle_in_transaction_session_timeout`;
  const { rows } = await asked.execute(db);
  await db.destroy();
  expect(rows[0]?.idle_in_transaction_session_timeout).toBe('10s');
});

it('distinguishes the lack of a connection from an error answer of the server', async () => {
  const driver = await loadDriver();
  const failureOf = async (url: string, statement: string) => {
    const db = new Kysely<unknown>({ dialect: createDialect(driver, url, liveLimits) });
    const error = await sql
      .raw(statement)
      .execute(db)
      .catch((reason: unknown) => reason);
    await db.destroy();
    return [error instanceof StorageError, codeOf(error), String(error)];
  };
  const url = await postgres.create();
  expect(await failureOf(url, 'select nothing')).toEqual([
    false,
    '42703',
    expect.stringContaining('"nothing" does not exist'),
  ]);
  expect(await failureOf(url, 'select pg_terminate_backend(pg_backend_pid())')).toEqual([
    true,
    '57P01',
    expect.stringContaining('try again (terminating connection due to administrator command)'),
  ]);
  expect(await failureOf(url.replace(/:\d+\//, ':1/'), 'select 1')).toEqual([
    true,
    'ECONNREFUSED',
    expect.stringContaining('the database cannot be used: nothing answers there; start the server'),
  ]);
});
