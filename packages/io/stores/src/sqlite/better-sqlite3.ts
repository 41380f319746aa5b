// better-sqlite3 as a driver: for a Node that has no SQLite of its own, or an experimental one.
import { codeOf } from '../files.js';
import type { LoadedSqlite, OpenSqlite, SqliteDriver, SqliteStatement } from './connection.js';

/**
 * The part of the package that is used. npm leaves the package out on a newer Node, where its types would be missing
 * too.
 */
interface BetterSqlite3 {
  readonly default: new (file: string) => Database;
}

interface Database {
  readonly open: boolean;
  readonly inTransaction: boolean;
  prepare(text: string): SqliteStatement;
  exec(text: string): unknown;
  close(): unknown;
}

/** Not a literal in the import: compilers and bundlers must not ask for what may be missing. */
const packageName: string = '@portico/better-sqlite3';

export const betterSqlite3: SqliteDriver = {
  name: 'better-sqlite3',
  async load() {
    try {
      const found: BetterSqlite3 = await import(packageName);
      new found.default(':memory:').close(); // loads the native part
      return { kind: 'loaded', open: openWith(found) };
    } catch (error) {
      return missing(error);
    }
  },
};

const openWith =
  ({ default: Database }: BetterSqlite3): OpenSqlite =>
  (file) => {
    const sqlite = new Database(file);
    return {
      get isOpen() {
        return sqlite.open;
      },
      get isInTransaction() {
        return sqlite.inTransaction;
      },
      prepare: (text) => sqlite.prepare(text),
      exec: (text) => void sqlite.exec(text),
      close: () => void sqlite.close(),
    };
  };

function missing(error: unknown): LoadedSqlite {
  const rebuild = 'npm rebuild better-sqlite3';
  switch (codeOf(error)) {
    case 'ERR_MODULE_NOT_FOUND':
    case 'MODULE_NOT_FOUND':
      return { kind: 'missing', reason: 'better-sqlite3 is not installed', nextStep: `npm install ${packageName}` };
    case 'ERR_DLOPEN_FAILED':
      return { kind: 'missing', reason: 'better-sqlite3 is compiled for another Node or platform', nextStep: rebuild };
    default:
      return { kind: 'missing', reason: 'better-sqlite3 is not compiled', nextStep: rebuild };
  }
}
