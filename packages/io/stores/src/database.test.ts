// The state database on a real file system: what survives, who can read it, and what it says when it cannot be used.
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenStateOptions, openStateDatabase } from './database.js';
import { createLedger } from './ledger.js';
import { StateDirectoryError } from './state-directory.js';
import { draftOf } from './testing/draft.js';
import { intentOf, recordOf } from './testing/intent.js';
import { usableDrivers } from './testing/sqlite-drivers.js';
import { createTempDirectories } from './testing/temp-directory.js';
import { createTicketStore } from './tickets.js';

const temp = createTempDirectories();

afterEach(() => temp.removeAll());

const fileIn = (directory: string) => join(directory, 'state.db');
const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

async function messageOfOpening(directory: string, options?: OpenStateOptions): Promise<string> {
  const error = await openStateDatabase(directory, options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StateDirectoryError);
  return error instanceof Error ? error.message : '';
}

const drivers = await usableDrivers();

describe.each(drivers)('a state database that is taken away while $name has it open', ({ driver }) => {
  it.each([
    ['removed', (file: string) => rm(file)],
    ['replaced', async (file: string) => rename(file, `${file}.old`).then(() => writeFile(file, ''))],
  ])('writes nothing more and is not well once it is %s', async (_what, takeAway) => {
    const directory = await temp.create();
    const database = await temp.openDatabase(directory, { drivers: [driver] });
    const ledger = createLedger(database);
    await ledger.begin(intentOf());
    await takeAway(fileIn(directory));
    const problem = 'was removed or replaced while the service runs; restart it';
    await expect(ledger.begin(intentOf({ key: 'k-2' }))).rejects.toThrow(problem);
    await expect(database.ping()).rejects.toThrow(problem);
  });
});

describe.each(drivers)('openStateDatabase over $name', ({ driver, open }) => {
  const openIn = (directory?: string) => temp.openDatabase(directory, { drivers: [driver] });

  it('keeps records and tickets over a close, and leaves one file', async () => {
    const directory = await temp.create();
    const before = await openIn(directory);
    await createLedger(before).begin(intentOf());
    const { ticket } = await createTicketStore(before).open(draftOf());
    await before.close();
    expect(await readdir(directory)).toEqual(['state.db']);
    const after = await openIn(directory);
    expect(await createLedger(after).get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
    expect(await createTicketStore(after).get(ticket.id)).toEqual(ticket);
  });

  it('keeps all its files from others while it is open', async () => {
    const directory = await temp.create();
    const database = await openIn(directory);
    await createLedger(database).begin(intentOf());
    const files = (await readdir(directory)).sort();
    expect(files).toEqual(['state.db', 'state.db-shm', 'state.db-wal']);
    expect(await Promise.all(files.map((file) => modeOf(join(directory, file))))).toEqual(['600', '600', '600']);
  });

  it('takes rights of others away from files that were there before', async () => {
    const directory = await temp.create();
    await (await openIn(directory)).close();
    await chmod(fileIn(directory), 0o644);
    const other = open(fileIn(directory));
    other.exec('pragma user_version = 1'); // leaves -wal and -shm, readable as the file is
    expect(await modeOf(`${fileIn(directory)}-wal`)).toBe('644');
    await openIn(directory);
    const files = ['state.db', 'state.db-shm', 'state.db-wal'];
    expect(await Promise.all(files.map((file) => modeOf(join(directory, file))))).toEqual(['600', '600', '600']);
    other.close();
  });

  it('leaves the wait for the disk to the queue of writes', async () => {
    const database = await openIn();
    const settings = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map((name) =>
      database.reads.executeQuery<object>(CompiledQuery.raw(`pragma ${name}`)),
    );
    const rows = (await Promise.all(settings)).flatMap((result) => result.rows);
    expect(rows).toEqual([{ journal_mode: 'wal' }, { synchronous: 1 }, { foreign_keys: 1 }, { timeout: 2000 }]);
  });

  it('writes what was handed in before it closes', async () => {
    const directory = await temp.create();
    const database = await openIn(directory);
    const begun = createLedger(database).begin(intentOf());
    await database.close();
    await begun;
    await database.close();
    expect(await createLedger(await openIn(directory)).get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
  });

  it('answers a ping while it is open, and neither that nor a write afterwards', async () => {
    const database = await openIn();
    await database.ping();
    await database.close();
    await expect(database.ping()).rejects.toThrow('destroyed');
    await expect(createLedger(database).begin(intentOf())).rejects.toThrow('destroyed');
  });

  it('is read while another program is writing', async () => {
    const directory = await temp.create();
    const ledger = createLedger(await openIn(directory));
    await ledger.begin(intentOf());
    const other = open(fileIn(directory));
    other.exec("begin immediate; update executions set response = 'other'");
    expect(await ledger.get('ann', 'k-1', 0)).toEqual(recordOf(intentOf()));
    other.exec('commit');
    expect((await ledger.get('ann', 'k-1', 0))?.response).toBe('other');
    other.close();
  });

  it('fails a write while another program does not stop writing, and takes the next one afterwards', async () => {
    const directory = await temp.create();
    const database = await openIn(directory);
    await database.reads.executeQuery(CompiledQuery.raw('pragma busy_timeout = 1'));
    const ledger = createLedger(database);
    const other = open(fileIn(directory));
    other.exec('begin immediate');
    const attempts = await Promise.allSettled([ledger.begin(intentOf()), ledger.begin(intentOf({ key: 'k-2' }))]);
    expect(attempts).toMatchObject([{ reason: { code: 'SQLITE_BUSY' } }, { reason: { code: 'SQLITE_BUSY' } }]);
    other.exec('rollback');
    other.close();
    expect(await ledger.begin(intentOf())).toBeUndefined();
  });

  it('opens one ticket per key for two connections', async () => {
    const directory = await temp.create();
    const stores = [await openIn(directory), await openIn(directory)].map(createTicketStore);
    const opened = await Promise.all(Array.from({ length: 40 }, (_, i) => stores[i % 2]?.open(draftOf())));
    expect(opened.filter((answer) => answer?.isNew)).toHaveLength(1);
    expect(new Set(opened.map((answer) => answer?.ticket.id)).size).toBe(1);
  });
});

describe.each(drivers)('openStateDatabase over $name refuses', ({ driver, open }) => {
  const messageFor = (directory: string) => messageOfOpening(directory, { drivers: [driver] });

  it('a file that is no database, and leaves it as it is', async () => {
    const directory = await temp.create();
    await writeFile(fileIn(directory), 'not a database, but long enough to have a header of one '.repeat(20));
    const content = await readFile(fileIn(directory));
    expect(await messageFor(directory)).toBe(
      `state database ${fileIn(directory)} cannot be opened: it is no SQLite database; ` +
        'restore it from a backup, or move it away to start with an empty one',
    );
    expect(await readFile(fileIn(directory))).toEqual(content);
    expect(await readdir(directory)).toEqual(['state.db']);
  });

  it('a database that is damaged', async () => {
    const directory = await temp.create();
    await (await temp.openDatabase(directory, { drivers: [driver] })).close();
    const content = await readFile(fileIn(directory));
    await writeFile(fileIn(directory), content.fill(0x5a, 100));
    expect(await messageFor(directory)).toContain('it is damaged; restore it from a backup');
  });

  it('a database that a newer version has written, and leaves its schema as it is', async () => {
    const directory = await temp.create();
    await (await temp.openDatabase(directory, { drivers: [driver] })).close();
    const other = open(fileIn(directory));
    other.exec("insert into kysely_migration values ('999-future', '2030-01-01T00:00:00.000Z')");
    other.close();
    expect(await messageFor(directory)).toBe(
      `state database ${fileIn(directory)} cannot be opened: a newer version has written it ` +
        '(migration 999-future is unknown to this version); ' +
        'use that version, or choose another directory with --state-dir DIR',
    );
  });

  it('something that is no file', async () => {
    const directory = await temp.create();
    await mkdir(fileIn(directory));
    expect(await messageFor(directory)).toContain('cannot be opened: EISDIR');
  });
});
