// The state database of a daemon in PostgreSQL. It comes back by itself when the server does.
import type { Log } from '@portico/control-plane';
import { Kysely, sql } from 'kysely';
import type { StateDatabase } from '../database.js';
import { messageOf } from '../files.js';
import { migrate } from '../migrations/index.js';
import type { SqlTypes } from '../migrations/migration.js';
import type { Tables } from '../tables.js';
import { type Address, addressOf } from './address.js';
import { type Claim, takeClaim } from './claim.js';
import { createDialect, type Driver, liveLimits, loadDriver, patientLimits } from './pool.js';
import { StorageError, toStorageError } from './storage-error.js';
import { createWriters } from './writers.js';

export interface PostgresOptions {
  readonly url: string;
  readonly log: Log;
  /** Told the password before anything is logged, so that it is kept out of the log. */
  readonly onPassword?: (password: string) => void;
}

export const postgresTypes: SqlTypes = {
  sequence: { type: 'bigserial', define: (column) => column.primaryKey() },
  bytes: 'bytea',
  indexesLongText: false,
};

/** Takes the database for this process alone, and creates or migrates its tables. @throws StorageError */
export async function openPostgresDatabase(options: PostgresOptions): Promise<StateDatabase> {
  const { url, log } = options;
  return withAddress(options, async (driver) => {
    const claim = await takeClaim(driver, url, log);
    try {
      await withOneConnection(driver, url, prepare);
      return open(driver, url, claim, log);
    } catch (error) {
      await claim.release();
      throw error;
    }
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
      // It is told without the reason, which may hold a part of it.
    }
    throw new StorageError('storage.url is no address of a PostgreSQL database; write postgres://user@host:5432/name');
  })();
  if (address.password) onPassword?.(address.password);
  try {
    return await use(driver, address);
  } catch (error) {
    throw error instanceof StorageError ? error : toStorageError(address, error);
  }
}

/** A database with a single connection, for what takes long. */
export async function withOneConnection<T>(
  driver: Driver,
  url: string,
  use: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const db = new Kysely<Tables>({ dialect: createDialect(driver, url, patientLimits) });
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}

/** For two that start at once: the second finds what the first has made. */
const migrationLock = sql`pg_advisory_lock(${sql.lit(0x706f7274)}, 0)`;

/** Makes sure of what every statement counts on, and of the tables. On one connection. */
export async function prepare(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ schema: string | null; encoding: string; read_only: string }>`
    select current_schema() as schema, current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only') as read_only`.execute(db);
  const { schema = null, encoding, read_only } = rows[0] ?? {};
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}; create it with ENCODING 'UTF8'`);
  if (read_only === 'on') throw new Error('it can only be read, as a standby; name the primary server in storage.url');
  if (schema === null) throw new Error('none of the schemas of its search_path exists; create one');
  await sql`select ${migrationLock}`.execute(db); // until the connection ends
  await migrate(db, postgresTypes, { schema });
}

function open(driver: Driver, url: string, claim: Claim, log: Log): StateDatabase {
  const onIdleError = (error: Error) =>
    log('debug', 'a connection to the database has ended', { reason: messageOf(error) });
  const db = new Kysely<Tables>({ dialect: createDialect(driver, url, liveLimits, onIdleError) });
  const checkClaim = () => {
    const reason = claim.lost();
    if (reason !== undefined) throw new Error(reason);
  };
  const writers = createWriters(db, checkClaim);
  return {
    reads: db,
    write: writers.write,
    async ping() {
      checkClaim();
      await sql`select 1`.execute(db);
    },
    async close() {
      await writers.drain();
      await db.destroy();
      await claim.release();
    },
  };
}
