// The choice of the driver, and the message if none works.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStateDatabase } from '../database.js';
import type { LoadedSqlite, OpenSqlite, SqliteDriver } from './connection.js';
import { driversFor, loadSqlite, SqliteMissingError } from './open-sqlite.js';

const driverOf = (name: SqliteDriver['name'], loaded: LoadedSqlite, calls: string[] = []): SqliteDriver => ({
  name,
  async load() {
    calls.push(name);
    return loaded;
  },
});
const neverOpened: OpenSqlite = () => {
  throw new Error('nothing is opened here');
};
const uncompiled = driverOf('better-sqlite3', {
  kind: 'missing',
  reason: 'better-sqlite3 is compiled for another Node or platform',
  nextStep: 'npm rebuild better-sqlite3',
});
const none = driverOf('node:sqlite', { kind: 'missing', reason: 'Node v20.19.0 has no SQLite of its own' });

describe('the drivers', () => {
  it.each([
    ['20.19.0', ['better-sqlite3', 'node:sqlite']],
    ['22.16.0', ['better-sqlite3', 'node:sqlite']],
    ['24.0.0', ['node:sqlite']],
    ['26.10.0', ['node:sqlite']],
    ['100.0.0', ['node:sqlite']],
  ])('of Node %s is %j', (version, names) => {
    expect(driversFor(version).map(({ name }) => name)).toEqual(names);
  });
});

describe('loadSqlite', () => {
  it('loads no driver after the first that works', async () => {
    const calls: string[] = [];
    const works = driverOf('node:sqlite', { kind: 'loaded', open: neverOpened }, calls);
    const other = driverOf('better-sqlite3', { kind: 'loaded', open: neverOpened }, calls);
    expect(await loadSqlite([works, other])).toBe(neverOpened);
    expect(calls).toEqual(['node:sqlite']);
  });

  it('takes the next driver where the first does not work', async () => {
    const works = driverOf('node:sqlite', { kind: 'loaded', open: neverOpened });
    expect(await loadSqlite([uncompiled, works])).toBe(neverOpened);
  });

  it('says why no driver works', async () => {
    await expect(loadSqlite([uncompiled, none])).rejects.toThrow(SqliteMissingError);
  });
});

it('leaves the state directory empty if no driver works, and gives the next step in one line', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'portico-stores-'));
  try {
    await expect(openStateDatabase(directory, { drivers: [uncompiled, none] })).rejects.toThrow(
      `state database ${join(directory, 'state.db')} cannot be opened: better-sqlite3 is compiled for another Node or ` +
        'platform, and Node v20.19.0 has no SQLite of its own; use an official build of Node 24 or later, which has SQLite built in, or run: ' +
        'npm rebuild better-sqlite3',
    );
    expect(await readdir(directory)).toEqual([]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
