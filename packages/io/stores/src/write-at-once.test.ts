// Transactions in one turn of the event loop: what is in one, what is not, and that either way the same is written.
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { createRunsNow, createSqliteDialect, createTransact } from './sqlite/dialect.js';
import type { Tables } from './tables.js';
import { usableDrivers } from './testing/sqlite-drivers.js';
import { createTempDirectories } from './testing/temp-directory.js';
import { createWriteQueue, notAtOnce } from './write-queue.js';

const temp = createTempDirectories();
const opened: Kysely<Tables>[] = [];

afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy();
  await temp.removeAll();
});

const insertText = 'insert into things (name) values (?)';

describe.each(await usableDrivers())('writes at once over $name', ({ open }) => {
  /** `byKysely` has the names that went through a transaction of Kysely. */
  async function openThings() {
    const sqlite = open(join(await temp.create(), 'state.db'));
    const db = new Kysely<Tables>({ dialect: createSqliteDialect(sqlite) });
    opened.push(db);
    sqlite.exec('create table things (name text primary key)');
    const now = createRunsNow(sqlite);
    const queue = createWriteQueue(db, { transact: createTransact(sqlite) });
    const byKysely: string[] = [];
    const write = (name: string, atOnce: () => string | typeof notAtOnce) =>
      queue.write(
        async (trx) => {
          byKysely.push(name);
          await sql`insert into things (name) values (${name})`.execute(trx);
          return name;
        },
        { atOnce },
      );
    const insert = (name: string) => {
      now.change(insertText, [name]);
      return name;
    };
    const names = () =>
      now.rows('select name from things order by rowid', []).map((row) => (row as { name: string }).name);
    return { db, sqlite, queue, write, insert, names, byKysely };
  }

  it('are one transaction, and no statement of another comes in between', async () => {
    const { sqlite, write, insert, names, byKysely } = await openThings();
    const seen: boolean[] = [];
    const watched = (name: string) => () => {
      queueMicrotask(() => seen.push(sqlite.isInTransaction));
      return insert(name);
    };
    const given = ['a', 'b', 'c'];
    expect(await Promise.all(given.map((name) => write(name, watched(name))))).toEqual(given);
    expect([names(), byKysely, seen]).toEqual([given, [], [false, false, false]]);
  });

  it('are rolled back and written in another way with one that cannot be', async () => {
    const { write, insert, names, byKysely } = await openThings();
    const results = [
      write('a', () => insert('a')),
      write('b', () => {
        insert('b');
        return notAtOnce;
      }),
    ];
    expect(await Promise.all(results)).toEqual(['a', 'b']);
    expect([names(), byKysely]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('are written in another way beside a write that has no such form', async () => {
    const { queue, write, insert, names, byKysely } = await openThings();
    await Promise.all([
      write('a', () => insert('a')),
      queue.write((trx) => sql`insert into things (name) values ('b')`.execute(trx)),
    ]);
    expect([names(), byKysely]).toEqual([['a', 'b'], ['a']]);
  });

  it('fail alone, with what they had done', async () => {
    const { write, insert, names, byKysely } = await openThings();
    const failing = () => {
      insert('half');
      throw new Error('no further');
    };
    const results = await Promise.allSettled([
      write('a', () => insert('a')),
      write('half', failing),
      write('a', () => insert('a')),
      write('b', () => insert('b')),
    ]);
    expect(results).toMatchObject([
      { value: 'a' },
      { reason: new Error('no further') },
      { reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } },
      { value: 'b' },
    ]);
    expect([names(), byKysely]).toEqual([['a', 'b'], []]);
  });

  it('wait for a transaction that is open', async () => {
    const { db, write, insert, names, byKysely } = await openThings();
    let end = () => {};
    const until = new Promise<void>((resolve) => {
      end = resolve;
    });
    let written: Promise<string> | undefined;
    const other = db.transaction().execute(async (trx) => {
      await sql`insert into things (name) values ('first')`.execute(trx);
      written = write('second', () => insert('second'));
      for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(names()).toEqual(['first']);
      end();
    });
    await Promise.all([other, until]);
    expect([await written, names(), byKysely]).toEqual(['second', ['first', 'second'], ['second']]);
  });
});
