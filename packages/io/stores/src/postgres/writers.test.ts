// Concurrent writes on a real server: each is independent, those of one subject keep their order, and those that
// deadlock run again.
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createPostgresDatabases, startLimitMs } from '../testing/postgres-databases.js';

const postgres = createPostgresDatabases();

beforeAll(postgres.start, startLimitMs);
afterEach(() => postgres.closeAll());
afterAll(() => postgres.close());

it('does not have a write wait for one that takes long', async () => {
  const { write, reads } = await postgres.open();
  await reads.connection().execute(async (holder) => {
    await sql`select pg_advisory_lock(1)`.execute(holder);
    let isOver = false;
    const slow = write(async (trx) => sql`select pg_advisory_xact_lock(1)`.execute(trx)).then(() => {
      isOver = true;
    });
    await write(async (trx) => sql`select 1`.execute(trx));
    expect(isOver).toBe(false);
    await sql`select pg_advisory_unlock(1)`.execute(holder);
    await slow;
  });
});

it('keeps the order of writes of one thing', async () => {
  const { write } = await postgres.open();
  const ended: number[] = [];
  const writeOf = (number: number, waitMs: number) =>
    write(() => setTimeout(waitMs), { of: 'task' }).then(() => ended.push(number));
  await Promise.all([writeOf(1, 100), writeOf(2, 50), writeOf(3, 0)]);
  expect(ended).toEqual([1, 2, 3]);
});

it('fails one that fails, and no other', async () => {
  const { write, reads } = await postgres.open();
  const insert = (model: string | null) =>
    write(async (trx) => {
      await sql`insert into search_vectors values (${model}, 'd', '\\x00', 1)`.execute(trx);
    });
  const results = await Promise.allSettled([insert('a'), insert(null), insert('b')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const rows = await reads.selectFrom('search_vectors').select('model').orderBy('model').execute();
  expect(rows).toEqual([{ model: 'a' }, { model: 'b' }]);
});

it('takes more at once than there are connections, and lazy ones as well', async () => {
  const { write, reads } = await postgres.open();
  const numbers = Array.from({ length: 200 }, (_, i) => i);
  const insert = (n: number) =>
    write((trx) => sql`insert into search_vectors values ('m', ${`d-${n}`}, '\\x00', 1)`.execute(trx), {
      isLazy: n % 2 === 0,
    });
  await Promise.all(numbers.map(insert));
  const { count } = await reads
    .selectFrom('search_vectors')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  expect(count).toBe(200);
});

it('runs one again that waited for another which waited for it', async () => {
  const { write, reads } = await postgres.open();
  await write((trx) =>
    sql`insert into search_vectors values ('m', 'x', '\\x00', 0), ('m', 'y', '\\x00', 0)`.execute(trx),
  );
  let atFirst = 0;
  let signalBoth = () => {};
  const bothAreThere = new Promise<void>((resolve) => {
    signalBoth = resolve;
  });
  const count = (...digests: readonly string[]) =>
    write(async (trx) => {
      for (const digest of digests) {
        await sql`update search_vectors set used_at_ms = used_at_ms + 1 where digest = ${digest}`.execute(trx);
        atFirst += 1;
        if (atFirst === 2) signalBoth();
        if (atFirst <= 2) await bothAreThere;
      }
    });
  await Promise.all([count('x', 'y'), count('y', 'x')]);
  const rows = await reads.selectFrom('search_vectors').select(['digest', 'used_at_ms']).orderBy('digest').execute();
  expect(rows).toEqual([
    { digest: 'x', used_at_ms: 2 },
    { digest: 'y', used_at_ms: 2 },
  ]);
});
