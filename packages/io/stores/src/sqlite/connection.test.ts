// The behaviour of every driver: one suite over those that work in this Node.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { usableDrivers } from '../testing/sqlite-drivers.js';
import { createTempDirectories } from '../testing/temp-directory.js';
import type { SqliteConnection } from './connection.js';

const temp = createTempDirectories();
const connections: SqliteConnection[] = [];

afterEach(async () => {
  for (const connection of connections.splice(0)) if (connection.isOpen) connection.close();
  await temp.removeAll();
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each(await usableDrivers())('a connection of $name', ({ open }) => {
  const openFile = (file: string): SqliteConnection => {
    const connection = open(file);
    connections.push(connection);
    return connection;
  };
  const openNew = async () => openFile(join(await temp.create(), 'state.db'));
  const openTable = async (columns: string) => {
    const sqlite = await openNew();
    sqlite.exec(`create table t (${columns})`);
    return sqlite;
  };
  const rowsOf = (sqlite: SqliteConnection, text: string, ...parameters: unknown[]) =>
    sqlite.prepare(text).all(parameters);

  it('gives values as they were bound, numbers as numbers and undefined as null', async () => {
    const sqlite = await openTable('n integer, r real, s text, b blob, u text, z text');
    const bytes = Uint8Array.of(0, 1, 254, 255);
    sqlite
      .prepare('insert into t values (?, ?, ?, ?, ?, ?)')
      .run([2 ** 53 - 1, -0.5, 'nie 🙅', bytes, undefined, null]);
    const [row] = rowsOf(sqlite, 'select * from t');
    expect({ ...(row as object), b: undefined }).toStrictEqual({
      n: 2 ** 53 - 1,
      r: -0.5,
      s: 'nie 🙅',
      b: undefined,
      u: null,
      z: null,
    });
    const { b } = row as { b: unknown };
    expect(b).toBeInstanceOf(Uint8Array);
    expect(Uint8Array.from(b as Uint8Array)).toEqual(bytes);
    expect(rowsOf(sqlite, 'select typeof(?) as one, typeof(?) as two', 1, 1n)).toEqual([
      { one: 'real', two: 'integer' },
    ]);
  });

  it('keeps all of a text with a null character, or a sign in its place', async () => {
    const sqlite = await openTable('a text');
    sqlite.prepare('insert into t values (?)').run(['a\0b']);
    expect(['a\0b', 'a\u2400b'].map((a) => ({ a }))).toContainEqual(rowsOf(sqlite, 'select a from t')[0]);
    expect(rowsOf(sqlite, 'select count(*) as n from t where a = ?', 'a\0b')).toEqual([{ n: 1 }]);
  });

  it('gives rows that are ordinary objects, the last of columns with one name', async () => {
    const [row] = rowsOf(await openNew(), 'select 1 as a, 2 as b, 3 as a');
    expect(row).toStrictEqual({ a: 3, b: 2 });
    expect(Object.getPrototypeOf(row)).toBe(Object.getPrototypeOf({}));
  });

  it('refuses what it cannot bind', async () => {
    const sqlite = await openTable('a text');
    for (const value of [true, {}, Symbol('s')]) {
      expect(() => sqlite.prepare('insert into t values (?)').run([value])).toThrow(TypeError);
    }
  });

  it('says how many rows a statement has changed, and the number of the last', async () => {
    const sqlite = await openTable('id integer primary key, a text unique');
    const insert = sqlite.prepare('insert into t (a) values (?), (?) on conflict do nothing');
    const brief = ({ changes, lastInsertRowid }: ReturnType<typeof insert.run>) =>
      [changes, lastInsertRowid].map(Number);
    expect(brief(insert.run(['x', 'y']))).toEqual([2, 2]);
    expect(brief(insert.run(['x', 'y']))).toEqual([0, 2]);
    expect(sqlite.prepare('update t set a = a || a').run([]).changes).toBe(2);
    expect(sqlite.prepare('delete from t where id > ?').run([9]).changes).toBe(0);
  });

  it('knows a statement that returns rows', async () => {
    const sqlite = await openTable('a text');
    expect(sqlite.prepare('select * from t').reader).toBe(true);
    expect(sqlite.prepare("insert into t values ('x')").reader).toBe(false);
    const returning = sqlite.prepare("insert into t values ('x') returning a");
    expect([returning.reader, returning.all([])]).toEqual([true, [{ a: 'x' }]]);
  });

  it('gives rows one at a time', async () => {
    const sqlite = await openNew();
    const numbers = sqlite.prepare('select value as n from json_each(?)');
    expect([...numbers.iterate(['[1, 2, 3]'])]).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    for (const row of numbers.iterate(['[7, 8]'])) {
      expect(row).toEqual({ n: 7 });
      break;
    }
    expect(numbers.all(['[9]'])).toEqual([{ n: 9 }]);
  });

  it('runs a kept statement on a table that has another column since', async () => {
    const sqlite = await openTable('a text');
    const all = sqlite.prepare('select * from t');
    sqlite.exec("insert into t values ('x')");
    expect(all.all([])).toEqual([{ a: 'x' }]);
    sqlite.exec("alter table t add column b text default 'y'");
    all.all([]); // Node 22 finds the column one run late
    expect(all.all([])).toEqual([{ a: 'x', b: 'y' }]);
  });

  it('knows whether it is in a transaction, also after SQLite has ended it', async () => {
    const sqlite = await openTable('a text');
    sqlite.exec("create trigger ends before insert on t begin select raise(rollback, 'over'); end");
    sqlite.exec('begin immediate');
    expect(sqlite.isInTransaction).toBe(true);
    expect(thrownBy(() => sqlite.exec("insert into t values ('x')"))).toMatchObject({
      message: 'over',
      code: 'SQLITE_CONSTRAINT_TRIGGER',
    });
    expect(sqlite.isInTransaction).toBe(false);
  });

  it('knows whether it is open', async () => {
    const sqlite = await openNew();
    expect(sqlite.isOpen).toBe(true);
    sqlite.close();
    expect(sqlite.isOpen).toBe(false);
    expect(() => sqlite.exec('select 1')).toThrow('database');
  });

  describe('names the reason of a refusal as SQLite does:', () => {
    it.each([
      ['SQLITE_CONSTRAINT_UNIQUE', "insert into t values (2, 'x', 'y')"],
      ['SQLITE_CONSTRAINT_PRIMARYKEY', "insert into t values (1, 'z', 'y')"],
      ['SQLITE_CONSTRAINT_NOTNULL', "insert into t values (3, 'z', null)"],
      ['SQLITE_ERROR', 'selekt 1'],
      ['SQLITE_READONLY', "pragma query_only = on; update t set a = 'z'"],
      ['SQLITE_FULL', 'pragma max_page_count = 1; insert into t values (4, hex(zeroblob(99999)), 1)'],
    ])('%s', async (code, text) => {
      const sqlite = await openTable('id integer primary key, a text unique, b text not null');
      sqlite.exec("insert into t values (1, 'x', 'y')");
      const error = thrownBy(() => sqlite.exec(text));
      expect(error).toBeInstanceOf(Error);
      expect(error).toMatchObject({ code });
    });

    it('SQLITE_BUSY, after the time that it was given', async () => {
      const file = join(await temp.create(), 'state.db');
      const [one, other] = [openFile(file), openFile(file)];
      one.exec('pragma busy_timeout = 2000; create table t (a text); begin immediate');
      other.exec('pragma busy_timeout = 50');
      const startMs = performance.now();
      expect(thrownBy(() => other.exec('begin immediate'))).toMatchObject({ code: 'SQLITE_BUSY' });
      expect(performance.now() - startMs).toBeGreaterThan(40);
    });

    it('SQLITE_NOTADB', async () => {
      const file = join(await temp.create(), 'state.db');
      await writeFile(file, 'not a database, but long enough to have a header of one '.repeat(20));
      expect(thrownBy(() => openFile(file).exec('pragma journal_mode = WAL'))).toMatchObject({ code: 'SQLITE_NOTADB' });
    });
  });
});
