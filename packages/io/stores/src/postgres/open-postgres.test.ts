// The state database in PostgreSQL: what two that start at once do, what is refused and left as it is, and what is kept in
// spite of connections that end.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLedger } from '../ledger.js';
import { migrations } from '../migrations/index.js';
import { intentOf, recordOf } from '../testing/intent.js';
import { createPostgresDatabases, noLog, startLimitMs } from '../testing/postgres-databases.js';
import { copyState } from './copy-state.js';
import { openPostgresDatabase, prepare, withOneConnection } from './open-postgres.js';
import { loadDriver, patientLimits } from './pool.js';
import { StorageError } from './storage-error.js';

const postgres = createPostgresDatabases();

beforeAll(postgres.start, startLimitMs);
afterEach(() => postgres.closeAll());
afterAll(() => postgres.close());

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query(text).finally(() => client.end())).rows;
}

const emptyUrl = async () => {
  const server = await postgres.server();
  return server.url(await server.createDatabase());
};

async function messageOfOpening(url: string): Promise<string> {
  const error = await openPostgresDatabase({ url, log: noLog, version: '1.0.0', stateDirectory: 'here' }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StorageError);
  const message = error instanceof Error ? error.message : '';
  expect(message).not.toContain((await postgres.server()).password);
  return message;
}

describe('migrations', () => {
  it('are run once by several that start at once', async () => {
    const url = await emptyUrl();
    const driver = await loadDriver();
    await Promise.all(
      Array.from({ length: 5 }, () => withOneConnection(driver, url, (db) => prepare(db, { log: noLog }))),
    );
    const rows = await query(url, 'select name from kysely_migration order by name');
    expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
    expect(patientLimits.maxConnections).toBe(1);
  });

  it('wait for another process that is at it, and say so once', async () => {
    const url = await emptyUrl();
    const driver = await loadDriver();
    const lines: string[] = [];
    let waiting = Promise.resolve();
    await withOneConnection(driver, url, async (first) => {
      await prepare(first, { log: noLog });
      await new Promise<void>((resolve) => {
        const log = (_level: string, message: string) => {
          lines.push(message);
          resolve();
        };
        waiting = withOneConnection(driver, url, (second) => prepare(second, { log }));
      });
    });
    await waiting;
    expect(lines).toEqual(['waiting for another process that prepares this database, or copies a state into it']);
  });

  it('wait for another process no longer than their limit', async () => {
    const url = await emptyUrl();
    const driver = await loadDriver();
    await withOneConnection(driver, url, async (first) => {
      await prepare(first, { log: noLog });
      const waiting = withOneConnection(driver, url, (second) => prepare(second, { log: noLog, patienceMs: 1 }));
      await expect(waiting).rejects.toThrow('let it end, then start again');
    });
  });

  it('have no time limit, even if the address sets one for statements', async () => {
    const url = `${await emptyUrl()}?statement_timeout=1`;
    const driver = await loadDriver();
    const shown = await withOneConnection(driver, url, async (db) => {
      await prepare(db, { log: noLog });
      await sql`select pg_sleep(0.1)`.execute(db);
      return sql<{ statement_timeout: string }>`show statement_timeout`.execute(db);
    });
    expect(shown.rows).toEqual([{ statement_timeout: '0' }]);
  });

  it('are not run while a daemon of another version lives', async () => {
    const url = await postgres.create();
    const database = await postgres.open(url);
    await query(url, "delete from kysely_migration where name = '021-budget-generations'");
    const opening = openPostgresDatabase({ url, log: noLog, version: '2.0.0', stateDirectory: 'elsewhere' });
    await expect(opening).rejects.toThrow(/uses this database with version 1\.0\.0, and this is 2\.0\.0; stop the one/);
    await expect(copyState(database, { url, log: noLog, stateDirectory: 'elsewhere' })).rejects.toThrow('uses it');
    const names = await query(url, 'select name from kysely_migration order by name');
    expect(names.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name).slice(0, -1));
  });

  it('use the schema of the connection and ignore others', async () => {
    const url = await emptyUrl();
    await query(url, 'create table kysely_migration (name text); create schema own');
    const own = `${url}?options=-c%20search_path%3Down`;
    const ledger = createLedger(await postgres.open(own));
    expect(await ledger.begin(intentOf())).toBeUndefined();
    expect(await query(url, 'select key from own.executions')).toEqual([{ key: 'k-1' }]);
    expect(await query(url, 'select * from public.kysely_migration')).toEqual([]);
  });
});

describe('openPostgresDatabase refuses', () => {
  it('a schema from a newer version, and leaves it as it is', async () => {
    const url = await postgres.create();
    await query(url, "insert into kysely_migration values ('999-future', '2030'); drop table tasks");
    expect(await messageOfOpening(url)).toContain('migration 999-future is unknown to this version');
    expect(await query(url, "select to_regclass('tasks') as found")).toEqual([{ found: null }]);
  });

  it('an encoding that cannot hold every text', async () => {
    const server = await postgres.server();
    await query(server.url('postgres'), "create database latin encoding 'LATIN1' template template0");
    expect(await messageOfOpening(server.url('latin'))).toContain(
      "its encoding is LATIN1; create it with ENCODING 'UTF8'",
    );
  });

  it('a user who may not create tables, and a standby', async () => {
    const url = await emptyUrl();
    await query(url, "create role guest login password 'canary-database-password'");
    expect(await messageOfOpening(url.replace('portico:', 'guest:'))).toContain('this user may not create tables');
    expect(await messageOfOpening(`${url}?options=-c%20default_transaction_read_only%3Don`)).toContain(
      'it can only be read',
    );
  });

  it('what is no address, and a host that does not exist', async () => {
    for (const url of ['mysql://me@h/db', 'postgres://h:99999/db', '']) {
      expect(await messageOfOpening(url)).toContain('storage.url is no address');
    }
    const nowhere = `${'x'.repeat(64)}.invalid`; // no name has a part as long as this, so that no name server is asked
    const message = await messageOfOpening(`postgres://me@${nowhere}/db`);
    expect(message).toMatch(/^PostgreSQL database "db" at /);
    expect(message).toContain(
      `PostgreSQL database "db" at ${nowhere}:5432 as user "me" cannot be used: the name of the host is not known`,
    );
  });
});

describe('a database whose connections end', () => {
  it('keeps what was written, and writes on', async () => {
    const url = await postgres.create();
    const database = await postgres.open(url);
    const ledger = createLedger(database);
    await ledger.begin(intentOf());
    const isBack = new Promise((resolve) => database.signals.on('feed', resolve)); // nothing else calls it here
    await query(
      url,
      'select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    ); // waits until they have ended, so that no connection is used again before
    await isBack;
    expect(await ledger.get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
    expect(await ledger.begin(intentOf({ key: 'k-2' }))).toBeUndefined();
  });

  it('gives numbers as numbers', async () => {
    const database = await postgres.open();
    const { rows } = await sql`select 9007199254740991::bigint as big, count(*) as count from executions`.execute(
      database.reads,
    );
    expect(rows).toEqual([{ big: Number.MAX_SAFE_INTEGER, count: 0 }]);
  });

  it('takes texts with null characters, which it cannot keep, with a sign in their place', async () => {
    const ledger = createLedger(await postgres.open());
    expect(await ledger.begin(intentOf({ capabilityId: 's.a\0b' }))).toBeUndefined();
    expect(await ledger.get('ann', 'k-1', 0)).toEqual(recordOf(intentOf({ capabilityId: 's.a\u2400b' })));
  });

  it('answers neither a ping nor a write once it is closed', async () => {
    const database = await openPostgresDatabase({
      url: await postgres.create(),
      log: noLog,
      version: '1.0.0',
      stateDirectory: 'here',
    });
    const begun = createLedger(database).begin(intentOf());
    await database.close();
    expect(await begun).toBeUndefined();
    await expect(database.ping()).rejects.toThrow();
    await expect(createLedger(database).begin(intentOf())).rejects.toThrow();
  });
});
