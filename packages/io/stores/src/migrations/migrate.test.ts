// Schemas that grow: what is there stays, and a migration that fails leaves nothing behind.
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { createLedger } from '../ledger.js';
import { createSqliteDialect, sqliteTypes } from '../sqlite/dialect.js';
import { type Tables, tableNames } from '../tables.js';
import { draftOf } from '../testing/draft.js';
import { intentOf, recordOf } from '../testing/intent.js';
import { usableDrivers } from '../testing/sqlite-drivers.js';
import { createTempDirectories } from '../testing/temp-directory.js';
import { createTicketStore } from '../tickets.js';
import { executions } from './001-executions.js';
import { migrate, migrations } from './index.js';

const temp = createTempDirectories();
const fileIn = (directory: string) => join(directory, 'state.db');

afterEach(() => temp.removeAll());

describe('migrations', () => {
  it('have names that sort in the order in which they run', () => {
    const names = migrations.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    for (const name of names) expect(name).toMatch(/^\d{3}-[a-z-]+$/);
  });
});

describe.each(await usableDrivers())('migrations over $name', ({ driver, open }) => {
  it('keep the rows of a database that only the first has been run on', async () => {
    const directory = await temp.create();
    const sqlite = open(fileIn(directory));
    const old = new Kysely<Tables>({ dialect: createSqliteDialect(sqlite) });
    await migrate(old, sqliteTypes, { known: [executions] });
    sqlite.exec(`insert into executions (scope, key, fingerprint, kind, capability_id, first_trace_id, created_at_ms, response)
      values ('ann', 'k-1', 'f-1', 'tool', 'files.write', '4bf92f3577b34da6a3ce929d0e0e4736', 1000, '{"ok":false}')`);
    await old.destroy();
    const database = await temp.openDatabase(directory, { drivers: [driver] });
    expect(await createLedger(database).list('ann', { limit: 10, offset: 0 }, 0)).toEqual([recordOf(intentOf())]);
    expect((await createTicketStore(database).open(draftOf())).isNew).toBe(true);
  });

  it('leave nothing behind when one fails', async () => {
    const directory = await temp.create();
    const db = new Kysely<Tables>({ dialect: createSqliteDialect(open(fileIn(directory))) });
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
