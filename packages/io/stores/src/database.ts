// The state database of a daemon, and the usual one: SQLite in one file of its state directory. The other is in postgres/;
// the stores speak SQL that both understand.
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createKeyedMutex, type KeyedMutex } from '@portico/async';
import { Kysely, sql } from 'kysely';
import { migrate } from './migrations/index.js';
import type { RunsNow } from './prepared.js';
import { noSignals, type Signals } from './signals.js';
import type { SqliteConnection, SqliteDriver } from './sqlite/connection.js';
import { createRunsNow, createSqliteDialect, createTransact, sqliteTypes } from './sqlite/dialect.js';
import { driversFor, loadSqlite } from './sqlite/open-sqlite.js';
import { openWriteAheadLog, reportSlowSync } from './sqlite/write-ahead-log.js';
import { toStateError } from './state-errors.js';
import type { Tables } from './tables.js';
import { createWriteQueue, type Write, type WriteOptions } from './write-queue.js';

export interface StateDatabase {
  /** For reads: they see every write that has resolved. */
  readonly reads: Kysely<Tables>;
  /** As `PreparingDatabase` says. */
  readonly now: RunsNow | undefined;
  /** Resolves when the write is on disk; a lazy one, when it is there after a crash of the process. */
  write<T>(write: Write<T>, options?: WriteOptions<T>): Promise<T>;
  /** One at a time for each name, over all processes that use the database: for what others must not do at the same time. */
  readonly exclusively: KeyedMutex;
  /** Id of this process: the owner of its open rows. */
  readonly owner: string;
  /** Signals between the processes that share the database. */
  readonly signals: Signals;
  /** Rejects when the database no longer answers. */
  ping(): Promise<void>;
  /** Finishes the writes handed in so far. */
  close(): Promise<void>;
}

/** How long a statement waits for another process that is writing. The event loop stands still in that time. */
const busyTimeoutMs = 2000;

/**
 * Pages in the log after which SQLite writes them back to the file (16 MB; 1000 by default). It waits for the disk twice
 * then, in the thread of the event loop. With more pages it does so less often, and writes a page back once for more
 * changes of it.
 */
const checkpointPages = 4000;

/** Page cache of each connection; the drivers have defaults of their own. */
const cacheKiB = 16_000;

export interface OpenStateOptions {
  /** The first that works is used; those for this version of Node by default. */
  readonly drivers?: readonly SqliteDriver[];
  /** Called when the disk took a second or more to confirm writes, once a minute. */
  readonly onSlowDisk?: (waitedMs: number) => void;
}

/** Opens `state.db` in a directory that exists, and creates or migrates it. @throws StateDirectoryError */
export async function openStateDatabase(
  directory: string,
  { drivers = driversFor(process.versions.node), onSlowDisk = () => {} }: OpenStateOptions = {},
): Promise<StateDatabase> {
  const file = join(resolve(directory), 'state.db'); // a relative one may look like a URI, which node:sqlite reads as such
  try {
    const openSqlite = await loadSqlite(drivers);
    await keepFromOthers(file);
    const sqlite = openSqlite(file);
    return await prepare(sqlite, file, onSlowDisk).catch((error: unknown) => {
      sqlite.close();
      throw error;
    });
  } catch (error) {
    throw toStateError(file, error);
  }
}

async function prepare(
  sqlite: SqliteConnection,
  file: string,
  onSlowDisk: (waitedMs: number) => void,
): Promise<StateDatabase> {
  sqlite.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  sqlite.exec('pragma journal_mode = WAL');
  sqlite.exec('pragma synchronous = NORMAL'); // a commit does not wait for the disk: the queue does
  sqlite.exec(`pragma wal_autocheckpoint = ${checkpointPages}`);
  sqlite.exec('pragma foreign_keys = ON');
  sqlite.exec(`pragma cache_size = -${cacheKiB}`);
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(sqlite) });
  await migrate(db, sqliteTypes);
  const inPlace = createPlaceCheck(file);
  const log = await openWriteAheadLog(file);
  const queue = createWriteQueue(db, {
    prepare() {
      inPlace();
      log.refuseIfLost();
    },
    sync: reportSlowSync(log.sync, onSlowDisk),
    transact: createTransact(sqlite),
  });
  return {
    reads: db,
    now: createRunsNow(sqlite),
    owner: randomUUID(),
    signals: noSignals,
    write: queue.write,
    exclusively: createKeyedMutex(),
    async ping() {
      inPlace();
      await sql`select 1`.execute(db);
    },
    async close() {
      await queue.drain();
      await log.close();
      await db.destroy(); // the last connection writes the log back to the file and removes it
    },
  };
}

/** Throws once the file is not the one that was opened: SQLite would go on to write to a file that is not read again. */
function createPlaceCheck(file: string): () => void {
  const { ino } = statSync(file);
  return () => {
    if (statSync(file, { throwIfNoEntry: false })?.ino === ino) return;
    throw new Error(`${file} was removed or replaced while the service runs; restart it`);
  };
}

/** SQLite gives its -wal and -shm files the mode of the database; those of a crash may be from before. */
async function keepFromOthers(file: string): Promise<void> {
  await (await open(file, 'a', 0o600)).close();
  await chmod(file, 0o600);
  for (const companion of [`${file}-wal`, `${file}-shm`]) await chmod(companion, 0o600).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
