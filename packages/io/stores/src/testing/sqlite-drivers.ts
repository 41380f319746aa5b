// The SQLite drivers that work in the Node that runs the tests: two in Node 22, one in every other. For tests only.
import type { OpenSqlite, SqliteDriver } from '../sqlite/connection.js';
import { driversFor } from '../sqlite/open-sqlite.js';

export interface UsableDriver {
  readonly name: SqliteDriver['name'];
  readonly driver: SqliteDriver;
  readonly open: OpenSqlite;
}

/** At least one. */
export async function usableDrivers(): Promise<readonly UsableDriver[]> {
  const usable: UsableDriver[] = [];
  for (const driver of driversFor(process.versions.node)) {
    const found = await driver.load();
    if (found.kind === 'loaded') usable.push({ name: driver.name, driver, open: found.open });
  }
  if (usable.length === 0) throw new Error('this Node has no SQLite to test with');
  return usable;
}
