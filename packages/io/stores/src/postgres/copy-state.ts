// Copies the state of an SQLite database into an empty PostgreSQL database: all of it or nothing, counted on both sides.
// It changes nothing where it copies from.
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely';
import { logKey } from '../audit/log-key.js';
import type { StateDatabase } from '../database.js';
import { durableTableNames, type Tables } from '../tables.js';
import { nameOf } from './address.js';
import { readLiving } from './lease.js';
import { type PostgresOptions, prepare, withAddress, withOneConnection } from './open-postgres.js';
import { StorageError } from './storage-error.js';

export interface CopiedState {
  /** The database that it was copied to, without its password. */
  readonly to: string;
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
}

export interface CopyOptions extends PostgresOptions {
  /** Id of the state directory that is copied. */
  readonly stateDirectory: string;
}

/**
 * Copies the state of a SQLite database into an empty PostgreSQL database, in one transaction.
 * @throws StorageError if the database cannot be used, another process uses it, or something is in it
 */
export function copyState(from: StateDatabase, options: CopyOptions): Promise<CopiedState> {
  return withAddress(options, async (driver, address) => {
    const to = nameOf(address);
    const tables = await withOneConnection(driver, options.url, async (db) => {
      await prepare(db, { ...options, beforeMigrating: () => refuseLiving(db, to) });
      return db.transaction().execute(async (trx) => {
        await sql`lock table daemons in exclusive mode`.execute(trx); // daemons write nothing before they have their row
        await refuseLiving(trx, to);
        return copyAll(from.reads, trx, to, options.stateDirectory);
      });
    });
    return { to, tables };
  });
}

/** @throws StorageError if a daemon lives */
async function refuseLiving(db: Kysely<Tables>, name: string): Promise<void> {
  const living = await readLiving(db).execute();
  if (living.length === 0) return;
  const names = living.map((daemon) => daemon.name).join(', ');
  throw new StorageError(`${name}: ${names} uses it; stop that one first, or name another database`);
}

async function copyAll(
  from: Kysely<Tables>,
  to: Transaction<Tables>,
  name: string,
  owner: string,
): Promise<CopiedState['tables']> {
  for (const table of durableTableNames) {
    if ((await countOf(to, table)) > 0) {
      throw new StorageError(`${name} has rows in ${table} already; copy into an empty database`);
    }
  }
  const copied = [];
  for (const table of durableTableNames) copied.push({ table, rows: await copyTable(from, to, table, owner) });
  const numbers = await sql<{ name: string; seq: number }>`select name, seq from sqlite_sequence`.execute(from);
  for (const { name: table, seq } of numbers.rows) {
    if (seq > 0) await sql`select setval(pg_get_serial_sequence(${table}, 'seq'), ${seq})`.execute(to);
  }
  return copied;
}

/** Rows of one statement. Rows may be large. */
const rowsAtATime = 50;

async function copyTable(
  from: Kysely<Tables>,
  to: Transaction<Tables>,
  table: keyof Tables,
  owner: string,
): Promise<number> {
  const read = async (after: number) => {
    const page = sql<Record<string, unknown> & { row_number: number }>`
      select rowid as row_number, * from ${sql.table(table)} where rowid > ${after} order by rowid limit ${rowsAtATime}`;
    return (await page.execute(from)).rows;
  };
  let copied = 0;
  for (let rows = await read(0); rows.length > 0; rows = await read(rows.at(-1)?.row_number ?? 0)) {
    const values = rows.map(({ row_number: _, ...row }) => inShared(row, owner));
    await to
      .insertInto(table)
      .values(values as unknown as readonly Insertable<Tables[typeof table]>[])
      .execute(); // rows of this table
    copied += rows.length;
  }
  const counts = [await countOf(from, table), await countOf(to, table)];
  if (counts.some((count) => count !== copied)) {
    throw new StorageError(
      `${table} has ${counts[0]} rows, of which ${counts[1]} were copied; nothing is kept of the copy`,
    );
  }
  return copied;
}

/** Other daemons may have files of the same path. */
function inShared(row: Readonly<Record<string, unknown>>, owner: string): Readonly<Record<string, unknown>> {
  return typeof row.log === 'string' ? { ...row, log: logKey(row.log, owner) } : row;
}

async function countOf(db: Kysely<Tables>, table: keyof Tables): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
  return Number(rows[0]?.count);
}
