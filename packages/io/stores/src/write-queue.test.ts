// Writes that come together are committed together, and fail alone. Commits are counted, not timed.
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { migrate } from './migrations/index.js';
import type { OpenSqlite } from './sqlite/connection.js';
import { createSqliteDialect, sqliteTypes } from './sqlite/dialect.js';
import type { Tables } from './tables.js';
import { usableDrivers } from './testing/sqlite-drivers.js';
import { createTempDirectories } from './testing/temp-directory.js';
import { createWriteQueue, type Write, type WriteQueueOptions } from './write-queue.js';

const temp = createTempDirectories();
const opened: Kysely<Tables>[] = [];

afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy();
  await temp.removeAll();
});

/** `statements` are those that begin and end transactions. */
async function openQueueIn(open: OpenSqlite, options?: WriteQueueOptions) {
  const statements: string[] = [];
  const db = new Kysely<Tables>({
    dialect: createSqliteDialect(open(join(await temp.create(), 'state.db'))),
    log: ({ query }) => {
      if (/^(begin|commit|rollback)/.test(query.sql)) statements.push(query.sql);
    },
  });
  opened.push(db);
  await migrate(db, sqliteTypes);
  statements.length = 0;
  const keys = async () =>
    (await db.selectFrom('executions').select('key').orderBy('seq').execute()).map(({ key }) => key);
  return { db, queue: createWriteQueue(db, options), statements, keys };
}

const insert =
  (key: string): Write<string> =>
  async (trx) => {
    const values = {
      scope: 's',
      fingerprint: 'f',
      kind: 'tool' as const,
      capability_id: 'c',
      first_trace_id: 't',
      created_at_ms: 0,
    };
    await trx
      .insertInto('executions')
      .values({ ...values, key, completed_at_ms: null, expires_at_ms: null, response: '', replay_count: 0 })
      .execute();
    return key;
  };

const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `k-${i}`);

describe.each(await usableDrivers())('createWriteQueue over $name', ({ open }) => {
  const openQueue = () => openQueueIn(open);

  it('commits what one turn of the event loop hands in at once, in order', async () => {
    const { queue, statements, keys } = await openQueue();
    const names = namesOf(100);
    expect(await Promise.all(names.map((name) => queue.write(insert(name))))).toEqual(names);
    expect(statements).toEqual(['begin immediate', 'commit']);
    expect(await keys()).toEqual(names);
  });

  it('commits 5000 writes handed in at once in 20 transactions', async () => {
    const { queue, statements, keys } = await openQueue();
    const names = namesOf(5000);
    await Promise.all(names.map((name) => queue.write(insert(name))));
    expect(statements.filter((statement) => statement === 'commit')).toHaveLength(20);
    expect(await keys()).toEqual(names);
  });

  it('notifies no listener before the commit', async () => {
    const { queue, statements } = await openQueue();
    const orders = namesOf(3).map((name) => queue.write(insert(name)).then(() => [...statements]));
    for (const seen of await Promise.all(orders)) expect(seen).toEqual(['begin immediate', 'commit']);
  });

  it('has one that may run once alone in its transaction, and runs it once', async () => {
    const { queue, statements, keys } = await openQueue();
    const failure = new Error('no');
    const failing: Write<never> = () => Promise.reject(failure);
    let times = 0;
    const once: Write<string> = async (trx) => {
      times += 1;
      return insert('once')(trx);
    };
    const results = await Promise.allSettled([
      queue.write(insert('a')),
      queue.write(once, { isOnce: true }),
      queue.write(failing),
      queue.write(insert('b')),
      queue.write(failing, { isOnce: true }),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect([times, await keys()]).toEqual([1, ['a', 'once', 'b']]);
    expect(statements.slice(0, 4)).toEqual(['begin immediate', 'commit', 'begin immediate', 'commit']);
  });

  it('fails the failing writes of a batch alone', async () => {
    const { queue, keys } = await openQueue();
    const names = ['a', 'b', 'a', 'c', 'b', 'd'];
    const results = await Promise.allSettled(names.map((name) => queue.write(insert(name))));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(results[2]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } });
    expect(await keys()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('takes back what a failing write had done', async () => {
    const { queue, keys } = await openQueue();
    const half: Write<void> = async (trx) => {
      await insert('half')(trx);
      throw new Error('no further');
    };
    const results = await Promise.allSettled([queue.write(half), queue.write(insert('whole'))]);
    expect(results).toMatchObject([{ reason: new Error('no further') }, { value: 'whole' }]);
    expect(await keys()).toEqual(['whole']);
  });

  it('says why a write failed when SQLite has ended the transaction by itself', async () => {
    const { db, queue, keys } = await openQueue();
    await sql`create trigger fails before insert on executions when new.key = 'bad'
      begin select raise(rollback, 'as if the disk were full'); end`.execute(db);
    const results = await Promise.allSettled([queue.write(insert('good')), queue.write(insert('bad'))]);
    expect(results).toMatchObject([{ value: 'good' }, { reason: { message: 'as if the disk were full' } }]);
    expect(await keys()).toEqual(['good']);
  });

  it('takes writes that are handed in while others are written', async () => {
    const { queue, statements, keys } = await openQueue();
    const chain = async (name: string) => {
      await queue.write(insert(`${name}-1`));
      await queue.write(insert(`${name}-2`));
    };
    await Promise.all(['a', 'b', 'c'].map(chain));
    expect(await keys()).toEqual(['a-1', 'b-1', 'c-1', 'a-2', 'b-2', 'c-2']);
    expect(statements.filter((statement) => statement === 'commit')).toHaveLength(2);
  });

  it('drains waiting writes, and those that arrive during the drain', async () => {
    const { queue, keys } = await openQueue();
    await queue.drain();
    const first = queue.write(insert('a')).then(() => queue.write(insert('b')));
    await queue.drain();
    await first;
    expect(await keys()).toEqual(['a', 'b']);
  });

  /** A disk that takes as long as the test wants: each sync waits until it is let go. */
  function createDisk() {
    const syncs: ((error?: Error) => void)[] = [];
    const begun: (() => void)[] = [];
    const sync = () =>
      new Promise<void>((resolve, reject) => {
        syncs.push((error) => (error === undefined ? resolve() : reject(error)));
        begun.shift()?.();
      });
    /** Resolves when the next sync begins. */
    const nextSync = () => new Promise<void>((resolve) => begun.push(resolve));
    return { sync, syncs, nextSync };
  }

  it('resolves a write when the disk has it, and commits the next ones before', async () => {
    const disk = createDisk();
    const { queue, keys } = await openQueueIn(open, { sync: disk.sync });
    const resolved: string[] = [];
    const write = (key: string) => queue.write(insert(key)).then((name) => resolved.push(name));
    let begun = disk.nextSync();
    const first = write('a');
    await begun;
    const lazy = queue.write(insert('lazy'), { isLazy: true });
    const second = [write('b'), write('c')];
    await lazy; // its transaction comes before theirs
    expect([resolved, await keys()]).toEqual([[], ['a', 'lazy']]);
    begun = disk.nextSync();
    disk.syncs.shift()?.();
    await first;
    await begun;
    expect([resolved, await keys()]).toEqual([['a'], ['a', 'lazy', 'b', 'c']]);
    disk.syncs.shift()?.();
    await Promise.all(second);
    expect([resolved, disk.syncs.length]).toEqual([['a', 'b', 'c'], 0]);
  });

  it('rejects the writes that the disk may not have', async () => {
    const disk = createDisk();
    const { queue } = await openQueueIn(open, { sync: disk.sync });
    const begun = disk.nextSync();
    const results = Promise.allSettled([queue.write(insert('a')), queue.write(insert('b'))]);
    await begun;
    const lost = new Error('input/output error');
    disk.syncs.shift()?.(lost);
    expect(await results).toEqual([
      { status: 'rejected', reason: lost },
      { status: 'rejected', reason: lost },
    ]);
  });

  it('drains what the disk has not yet', async () => {
    const disk = createDisk();
    const { queue } = await openQueueIn(open, { sync: disk.sync });
    const begun = disk.nextSync();
    let isDrained = false;
    const write = queue.write(insert('a'));
    const drained = queue.drain().then(() => {
      isDrained = true;
    });
    await begun;
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDrained).toBe(false);
    disk.syncs.shift()?.();
    await Promise.all([write, drained]);
    expect(isDrained).toBe(true);
  });

  it('runs no transaction where nothing can be made durable', async () => {
    const refusal = new Error('the log was lost');
    const { queue, statements } = await openQueueIn(open, {
      prepare() {
        throw refusal;
      },
    });
    await expect(queue.write(insert('a'))).rejects.toBe(refusal);
    expect(statements).toEqual([]);
  });
});
