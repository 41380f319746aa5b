// SQLite for Kysely, as this package needs it: transactions that never fail half-way for lack of a lock, and migrations
// inside one. Only database.ts uses it.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type TransactionSettings,
} from 'kysely';
import type { SqlTypes } from '../migrations/migration.js';
import type { RunsNow } from '../prepared.js';
import type { Transact } from '../write-queue.js';
import type { SqliteConnection, SqliteStatement } from './connection.js';

export const sqliteTypes: SqlTypes = {
  /** https://www.sqlite.org/autoinc.html: without the keyword, numbers of deleted rows would come back. */
  sequence: { type: 'integer', define: (column) => column.primaryKey().autoIncrement() },
  bytes: 'blob',
  indexesLongText: true,
};

export function createSqliteDialect(sqlite: SqliteConnection): Dialect {
  const base = new SqliteDialect({ database: sqlite });
  return {
    createDriver: () => new Driver(sqlite),
    createAdapter: () => new Adapter(),
    createQueryCompiler: () => base.createQueryCompiler(),
    createIntrospector: (db) => base.createIntrospector(db),
  };
}

/**
 * Runs statements in this turn of the event loop. It is for those of a transaction that has the connection, and for reads
 * of what no open transaction has changed.
 */
export function createRunsNow(sqlite: SqliteConnection): RunsNow {
  const statements = withKeptStatements(sqlite);
  return {
    rows(text, parameters) {
      const statement = statements.prepare(text);
      if (statement.reader) return statement.all(parameters);
      statement.run(parameters);
      return [];
    },
    change(text, parameters) {
      const { changes, lastInsertRowid } = statements.prepare(text).run(parameters);
      return { rows: Number(changes), insertedId: Number(lastInsertRowid) };
    },
  };
}

/** As in `Transact`. Work that waits for the connection has run no statement yet, so it cannot conflict. */
export function createTransact(sqlite: SqliteConnection): Transact {
  const statements = withKeptStatements(sqlite);
  const run = (text: string) => void statements.prepare(text).run([]);
  return (work) => {
    if (!sqlite.isOpen || sqlite.isInTransaction) return undefined;
    run('begin immediate'); // as `beginTransaction` of the driver
    try {
      const result = work();
      run(result === undefined ? 'rollback' : 'commit');
      return result;
    } catch (error) {
      if (sqlite.isInTransaction) run('rollback'); // as `rollbackTransaction` of the driver
      throw error;
    }
  };
}

class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true; // it does, but Kysely does not make use of it by itself
  }
}

class Driver extends SqliteDriver {
  readonly #sqlite: SqliteConnection;
  #last: Promise<void> = Promise.resolve();
  #giveBack: () => void = () => {};

  constructor(sqlite: SqliteConnection) {
    super({ database: withKeptStatements(sqlite) });
    this.#sqlite = sqlite;
  }

  /** In order of their coming. The lock of the base class wakes all who wait each time, which takes n² for n at once. */
  override async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#last;
    let giveBack = () => {};
    this.#last = new Promise((resolve) => {
      giveBack = resolve;
    });
    await before;
    this.#giveBack = giveBack;
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    await super.releaseConnection();
    this.#giveBack();
  }

  /**
   * A transaction that reads before it writes fails when another process has written in between, however long it may
   * wait (https://www.sqlite.org/lang_transaction.html). So those that may write take the lock first.
   */
  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /** SQLite has rolled back by itself when the disk is full; a second time would hide that reason behind another. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.isInTransaction) await super.rollbackTransaction(connection);
  }
}

/** Number of statement texts that are kept; most of a daemon's own fit. */
const maxStatements = 200;

/** Parses and plans a statement once, not each time that it runs. */
function withKeptStatements(sqlite: SqliteConnection): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>();
  return {
    close: () => void sqlite.close(),
    prepare(text) {
      const known = kept.get(text);
      if (known !== undefined) return known;
      const statement = sqlite.prepare(text);
      const [oldest] = kept.keys();
      if (kept.size >= maxStatements && oldest !== undefined) kept.delete(oldest);
      kept.set(text, statement);
      return statement;
    },
  };
}
