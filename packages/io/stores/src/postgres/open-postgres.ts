// The state database of a daemon in PostgreSQL. It comes back by itself when the server does.
import { setTimeout } from 'node:timers/promises';
import type { Log } from '@portico/control-plane';
import { Kysely, sql } from 'kysely';
import type { StateDatabase } from '../database.js';
import { messageOf } from '../files.js';
import { migrate } from '../migrations/index.js';
import type { SqlTypes } from '../migrations/migration.js';
import type { Tables } from '../tables.js';
import { type Address, addressOf } from './address.js';
import { createExclusively } from './exclusively.js';
import { refuseOtherVersions } from './lease.js';
import { createDialect, type Driver, liveLimits, loadDriver, patientLimits } from './pool.js';
import { type Presence, takePresence } from './presence.js';
import { StorageError, toStorageError } from './storage-error.js';
import { createWriters } from './writers.js';

export interface PostgresOptions {
  readonly url: string;
  readonly log: Log;
  /** Called with the password before anything is logged, so that the log redacts it. */
  readonly onPassword?: (password: string) => void;
}

export interface OpenPostgresOptions extends PostgresOptions {
  /** Id of the state directory of this process, which no other uses. */
  readonly stateDirectory: string;
  /** Version of this program: daemons of different versions cannot share a database. */
  readonly version: string;
  /** How long a process that says nothing counts as living; 10 s by default. */
  readonly leaseMs?: number;
}

export const postgresTypes: SqlTypes = {
  sequence: { type: 'bigserial', define: (column) => column.primaryKey() },
  bytes: 'bytea',
  indexesLongText: false,
};

/** Creates or migrates the tables, and joins the other daemons on them. @throws StorageError */
export async function openPostgresDatabase(options: OpenPostgresOptions): Promise<StateDatabase> {
  return withAddress(options, async (driver) => {
    await withOneConnection(driver, options.url, (db) =>
      prepare(db, { ...options, beforeMigrating: () => refuseOtherVersions(db, options) }),
    );
    return open(driver, options, await takePresence(driver, options));
  });
}

/** Runs what needs the driver. @throws StorageError that names the database */
export async function withAddress<T>(
  { url, onPassword }: PostgresOptions,
  use: (driver: Driver, address: Address) => Promise<T>,
): Promise<T> {
  const driver = await loadDriver();
  const address = (() => {
    try {
      if (/^postgres(ql)?:\/\//.test(url)) return addressOf(driver.Client, url);
    } catch {
      // The message leaves the reason out, which may hold a part of it.
    }
    throw new StorageError('storage.url is no address of a PostgreSQL database; write postgres://user@host:5432/name');
  })();
  if (address.password) onPassword?.(address.password);
  try {
    return await use(driver, address);
  } catch (error) {
    throw toStorageError(address, error);
  }
}

/**
 * A database with a single connection, for long work: its statements have no time limit, even if the address sets one.
 */
export async function withOneConnection<T>(
  driver: Driver,
  url: string,
  use: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const db = new Kysely<Tables>({ dialect: createDialect(driver, url, patientLimits) });
  try {
    await sql`set statement_timeout = 0`.execute(db); // also where the server has one for this user or database
    return await use(db);
  } finally {
    await db.destroy();
  }
}

export interface PrepareOptions {
  readonly log: Log;
  /** How long another process may be at it. */
  readonly patienceMs?: number;
  /** Runs if the table of daemons exists already. An error leaves the database unchanged. */
  readonly beforeMigrating?: () => Promise<void>;
}

/** Makes sure of what every statement counts on, and of the tables. On one connection. */
export async function prepare(
  db: Kysely<Tables>,
  { log, patienceMs = 60_000, beforeMigrating }: PrepareOptions,
): Promise<void> {
  const { rows } = await sql<{ schema: string | null; encoding: string; read_only: string }>`
    select current_schema() as schema, current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only') as read_only`.execute(db);
  const { schema = null, encoding, read_only } = rows[0] ?? {};
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}; create it with ENCODING 'UTF8'`);
  if (read_only === 'on') throw new Error('it can only be read, as a standby; name the primary server in storage.url');
  if (schema === null) throw new Error('none of the schemas of its search_path exists; create one');
  await takeMigrationLock(db, log, patienceMs);
  if (await hasDaemons(db, schema)) await beforeMigrating?.();
  await migrate(db, postgresTypes, { schema });
}

/** In this schema: another one of the search path may have a table of that name as well. */
async function hasDaemons(db: Kysely<Tables>, schema: string): Promise<boolean> {
  const { rows } = await sql<{ is_there: boolean }>`
    select to_regclass(format('%I.daemons', ${schema}::text)) is not null as is_there`.execute(db);
  return rows[0]?.is_there === true;
}

const betweenTriesMs = 500;

/** Until the connection ends. For two that start at once: the second finds what the first has made. */
async function takeMigrationLock(db: Kysely<Tables>, log: Log, patienceMs: number): Promise<void> {
  const taking = sql<{ taken: boolean }>`select pg_try_advisory_lock(${sql.lit(0x706f7274)}, 0) as taken`;
  const untilMs = performance.now() + patienceMs;
  for (let tries = 1; ; tries++) {
    const { rows } = await taking.execute(db);
    if (rows[0]?.taken === true) return;
    if (tries === 1) log('info', 'waiting for another process that prepares this database, or copies a state into it');
    if (performance.now() >= untilMs) break;
    await setTimeout(betweenTriesMs);
  }
  throw new Error(
    `another process has been preparing it, or copying a state into it, for ${patienceMs / 1000} s; let it end, then start again`,
  );
}

function open(driver: Driver, { url, log }: OpenPostgresOptions, presence: Presence): StateDatabase {
  const { onSilence } = presence;
  const onIdleError = (error: Error) =>
    log('debug', 'a connection to the database has ended', { reason: messageOf(error) });
  const check = () => {
    const reason = presence.lost();
    if (reason !== undefined) throw new StorageError(reason);
  };
  const db = new Kysely<Tables>({ dialect: createDialect(driver, url, liveLimits, { onIdleError, check, onSilence }) });
  const writers = createWriters(db);
  return {
    reads: db,
    now: undefined,
    owner: presence.id,
    signals: presence.signals,
    write: writers.write,
    exclusively: createExclusively(presence.ask),
    async ping() {
      await sql`select 1`.execute(db);
    },
    async close() {
      await writers.drain();
      await db.destroy();
      await presence.release();
    },
  };
}
