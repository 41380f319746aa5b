// Inspects a database for `portico doctor`: whether it can be used, without migrating it and without writing to it.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sql } from 'kysely';
import { messageOf } from './files.js';
import { type PostgresOptions, withAddress, withOneConnection } from './postgres/open-postgres.js';
import { driversFor, loadSqlite } from './sqlite/open-sqlite.js';
import { toStateError } from './state-errors.js';

/**
 * Checks `state.db` of a directory that no daemon uses, with SQLite's own quick_check
 * (https://www.sqlite.org/pragma.html#pragma_quick_check).
 * @returns what is wrong with it, and undefined for a file that is whole or not there
 */
export async function inspectStateDatabase(directory: string): Promise<string | undefined> {
  const file = join(resolve(directory), 'state.db');
  if (!existsSync(file)) return undefined;
  try {
    const open = await loadSqlite(driversFor(process.versions.node));
    const sqlite = open(file);
    try {
      sqlite.exec('pragma query_only = on');
      const [first] = sqlite.prepare('pragma quick_check(1)').all([]) as readonly { readonly quick_check: string }[];
      return first?.quick_check === 'ok' ? undefined : `${file}: ${first?.quick_check ?? 'no answer'}`;
    } finally {
      sqlite.close();
    }
  } catch (error) {
    return messageOf(toStateError(file, error));
  }
}

/**
 * Asks a PostgreSQL database one question, to find out whether it can be used.
 * @returns why the database of `storage.url` does not answer; undefined if it does
 */
export async function inspectPostgres(options: PostgresOptions): Promise<string | undefined> {
  try {
    await withAddress(options, (driver) =>
      withOneConnection(driver, options.url, async (db) => void (await sql`select 1`.execute(db))),
    );
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
