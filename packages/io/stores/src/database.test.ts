// The state database on a real file system: what survives, who can read it, and what it says when it cannot be used.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { CompiledQuery, Kysely } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { openStateDatabase } from './database.js';
import { createLedger } from './ledger.js';
import { executions } from './migrations/001-executions.js';
import { migrate, migrations } from './migrations/index.js';
import { createSqliteDialect, sqliteTypes } from './sqlite-dialect.js';
import { StateDirectoryError } from './state-directory.js';
import { toStateError } from './state-errors.js';
import { type Tables, tableNames } from './tables.js';
import { draftOf } from './testing/draft.js';
import { intentOf, recordOf } from './testing/intent.js';
import { createTempDirectories } from './testing/temp-directory.js';
import { createTicketStore } from './tickets.js';

const temp = createTempDirectories();
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await temp.removeAll();
});

const fileIn = (directory: string) => join(directory, 'state.db');
const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

async function messageOfOpening(directory: string): Promise<string> {
  const error = await openStateDatabase(directory).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StateDirectoryError);
  return error instanceof Error ? error.message : '';
}

/** Uses the file as another program would. */
function withFile<T>(directory: string, use: (sqlite: Database.Database) => T): T {
  const sqlite = new Database(fileIn(directory));
  try {
    return use(sqlite);
  } finally {
    sqlite.close();
  }
}

describe('a state database that is taken away while it is open', () => {
  it.each([
    ['removed', (file: string) => rm(file)],
    ['replaced', async (file: string) => rename(file, `${file}.old`).then(() => writeFile(file, ''))],
  ])('writes nothing more and is not well once it is %s', async (_what, takeAway) => {
    const directory = await temp.create();
    const database = await temp.openDatabase(directory);
    const ledger = createLedger(database);
    await ledger.begin(intentOf());
    await takeAway(fileIn(directory));
    const problem = 'was removed or replaced while the service runs; restart it';
    await expect(ledger.begin(intentOf({ key: 'k-2' }))).rejects.toThrow(problem);
    await expect(database.ping()).rejects.toThrow(problem);
  });
});

describe('openStateDatabase', () => {
  it('keeps records and tickets over a close, and leaves one file', async () => {
    const directory = await temp.create();
    const before = await temp.openDatabase(directory);
    await createLedger(before).begin(intentOf());
    const { ticket } = await createTicketStore(before).open(draftOf());
    await before.close();
    expect(await readdir(directory)).toEqual(['state.db']);
    const after = await temp.openDatabase(directory);
    expect(await createLedger(after).get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
    expect(await createTicketStore(after).get(ticket.id)).toEqual(ticket);
  });

  it('keeps all its files from others while it is open', async () => {
    const directory = await temp.create();
    const database = await temp.openDatabase(directory);
    await createLedger(database).begin(intentOf());
    const files = (await readdir(directory)).sort();
    expect(files).toEqual(['state.db', 'state.db-shm', 'state.db-wal']);
    expect(await Promise.all(files.map((file) => modeOf(join(directory, file))))).toEqual(['600', '600', '600']);
  });

  it('takes rights of others away from files that were there before', async () => {
    const directory = await temp.create();
    await (await temp.openDatabase(directory)).close();
    await chmod(fileIn(directory), 0o644);
    const other = new Database(fileIn(directory));
    other.pragma('user_version = 1'); // leaves -wal and -shm, readable as the file is
    expect(await modeOf(`${fileIn(directory)}-wal`)).toBe('644');
    await temp.openDatabase(directory);
    const files = ['state.db', 'state.db-shm', 'state.db-wal'];
    expect(await Promise.all(files.map((file) => modeOf(join(directory, file))))).toEqual(['600', '600', '600']);
    other.close();
  });

  it('waits for the disk with every commit', async () => {
    const database = await temp.openDatabase();
    const settings = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map((name) =>
      database.reads.executeQuery<object>(CompiledQuery.raw(`pragma ${name}`)),
    );
    const rows = (await Promise.all(settings)).flatMap((result) => result.rows);
    expect(rows).toEqual([{ journal_mode: 'wal' }, { synchronous: 2 }, { foreign_keys: 1 }, { timeout: 2000 }]);
  });

  it('writes what was handed in before it closes', async () => {
    const directory = await temp.create();
    const database = await temp.openDatabase(directory);
    const begun = createLedger(database).begin(intentOf());
    await database.close();
    await begun;
    await database.close();
    expect(await createLedger(await temp.openDatabase(directory)).get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
  });

  it('answers a ping while it is open, and neither that nor a write afterwards', async () => {
    const database = await temp.openDatabase();
    await database.ping();
    await database.close();
    await expect(database.ping()).rejects.toThrow('destroyed');
    await expect(createLedger(database).begin(intentOf())).rejects.toThrow('destroyed');
  });

  it('is read while another program is writing', async () => {
    const directory = await temp.create();
    const ledger = createLedger(await temp.openDatabase(directory));
    await ledger.begin(intentOf());
    const other = new Database(fileIn(directory));
    other.exec("begin immediate; update executions set response = 'other'");
    expect(await ledger.get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
    other.exec('commit');
    expect((await ledger.get('ann', 'k-1', 0))?.response).toBe('other');
    other.close();
  });

  it('fails a write while another program does not stop writing, and takes the next one afterwards', async () => {
    const directory = await temp.create();
    const database = await temp.openDatabase(directory);
    await database.reads.executeQuery(CompiledQuery.raw('pragma busy_timeout = 1'));
    const ledger = createLedger(database);
    const other = new Database(fileIn(directory));
    other.exec('begin immediate');
    const attempts = await Promise.allSettled([ledger.begin(intentOf()), ledger.begin(intentOf({ key: 'k-2' }))]);
    expect(attempts).toMatchObject([{ reason: { code: 'SQLITE_BUSY' } }, { reason: { code: 'SQLITE_BUSY' } }]);
    other.exec('rollback');
    other.close();
    expect(await ledger.begin(intentOf())).toBeUndefined();
  });

  it('opens one ticket per key for two connections', async () => {
    const directory = await temp.create();
    const stores = [await temp.openDatabase(directory), await temp.openDatabase(directory)].map(createTicketStore);
    const opened = await Promise.all(Array.from({ length: 40 }, (_, i) => stores[i % 2]?.open(draftOf())));
    expect(opened.filter((answer) => answer?.isNew)).toHaveLength(1);
    expect(new Set(opened.map((answer) => answer?.ticket.id)).size).toBe(1);
  });

  it('has a record whose begin had resolved when the process was killed', async () => {
    const directory = await temp.create();
    const script = fileURLToPath(new URL('./testing/begin-and-stay.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('begun\n');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    expect(await gone).toEqual([null, 'SIGKILL']);
    const ledger = createLedger(await temp.openDatabase(directory));
    expect(await ledger.get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
  });
});

describe('openStateDatabase refuses', () => {
  it('a file that is no database, and leaves it as it is', async () => {
    const directory = await temp.create();
    await writeFile(fileIn(directory), 'not a database, but long enough to have a header of one '.repeat(20));
    const content = await readFile(fileIn(directory));
    expect(await messageOfOpening(directory)).toBe(
      `state database ${fileIn(directory)} cannot be opened: it is no SQLite database; ` +
        'restore it from a backup, or move it away to start with an empty one',
    );
    expect(await readFile(fileIn(directory))).toEqual(content);
    expect(await readdir(directory)).toEqual(['state.db']);
  });

  it('a database that is damaged', async () => {
    const directory = await temp.create();
    await (await temp.openDatabase(directory)).close();
    const content = await readFile(fileIn(directory));
    await writeFile(fileIn(directory), content.fill(0x5a, 100));
    expect(await messageOfOpening(directory)).toContain('it is damaged; restore it from a backup');
  });

  it('a database that a newer version has written, and leaves its schema as it is', async () => {
    const directory = await temp.create();
    await (await temp.openDatabase(directory)).close();
    withFile(directory, (sqlite) =>
      sqlite.exec("insert into kysely_migration values ('999-future', '2030-01-01T00:00:00.000Z')"),
    );
    expect(await messageOfOpening(directory)).toBe(
      `state database ${fileIn(directory)} cannot be opened: a newer version has written it ` +
        '(migration 999-future is unknown to this version); ' +
        'use that version, or choose another directory with --state-dir DIR',
    );
  });

  it('something that is no file', async () => {
    const directory = await temp.create();
    await mkdir(fileIn(directory));
    expect(await messageOfOpening(directory)).toContain('cannot be opened: EISDIR');
  });

  it.each([
    ['SQLITE_READONLY_DIRECTORY', 'it cannot be written; make it and its directory writable for this user'],
    ['EROFS', 'it cannot be written; make it and its directory writable for this user'],
    ['SQLITE_FULL', 'the disk is full; free space on its file system'],
    ['ENOSPC', 'the disk is full; free space on its file system'],
    ['SQLITE_BUSY_RECOVERY', 'another program is writing to it; end that program'],
  ])('with words for %s', (code, words) => {
    const error = toStateError('/x/state.db', new Database.SqliteError('as SQLite says it', code));
    expect(error.message).toBe(
      `state database /x/state.db cannot be opened: ${words}, or choose another directory with --state-dir DIR`,
    );
  });
});

describe('migrations', () => {
  it('have names that sort in the order in which they run', () => {
    const names = migrations.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    for (const name of names) expect(name).toMatch(/^\d{3}-[a-z-]+$/);
  });

  it('keep the rows of a database that only the first has been run on', async () => {
    const directory = await temp.create();
    const old = new Kysely<Tables>({ dialect: createSqliteDialect(new Database(fileIn(directory))) });
    await migrate(old, sqliteTypes, { known: [executions] });
    await old.destroy();
    withFile(directory, (sqlite) =>
      sqlite.exec(`insert into executions (scope, key, fingerprint, kind, capability_id, first_trace_id, created_at_ms, response)
        values ('ann', 'k-1', 'f-1', 'tool', 'files.write', '4bf92f3577b34da6a3ce929d0e0e4736', 1000, '{"ok":false}')`),
    );
    const database = await temp.openDatabase(directory);
    expect(await createLedger(database).list('ann', { limit: 10, offset: 0 }, 0)).toEqual([recordOf(intentOf())]);
    expect((await createTicketStore(database).open(draftOf())).isNew).toBe(true);
  });

  it('leave nothing behind when one fails', async () => {
    const directory = await temp.create();
    const db = new Kysely<Tables>({ dialect: createSqliteDialect(new Database(fileIn(directory))) });
    const failing = {
      name: '002-failing',
      up: async () => {
        throw new Error('it fails');
      },
    };
    await expect(migrate(db, sqliteTypes, { known: [executions, failing] })).rejects.toThrow('it fails');
    expect(await db.introspection.getTables()).toEqual([]);
    await migrate(db, sqliteTypes);
    expect((await db.introspection.getTables()).map(({ name }) => name).sort()).toEqual([...tableNames].sort());
    await db.destroy();
  });
});
