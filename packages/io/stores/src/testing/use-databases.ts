// The databases for the tests of one file, taken down with them: SQLite by each driver, and PostgreSQL. For tests only.
import { afterAll, afterEach } from 'vitest';
import { createPostgresDatabases } from './postgres-databases.js';
import { usableDrivers } from './sqlite-drivers.js';
import { createTempDirectories } from './temp-directory.js';

export async function useDatabases() {
  const temp = createTempDirectories();
  const postgres = createPostgresDatabases();
  afterEach(() => Promise.all([temp.removeAll(), postgres.closeAll()]));
  afterAll(() => postgres.close());
  const sqlites = (await usableDrivers()).map(({ name, driver }) => ({
    name: `SQLite by ${name}`,
    open: (directory?: string) => temp.openDatabase(directory, { drivers: [driver] }),
  }));
  return { temp, postgres, sqlites };
}
