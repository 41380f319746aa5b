// The connection to SQLite that the stores use, over either driver. Nothing here loads one.
import type { SqliteDatabase } from 'kysely';

export type SqliteStatement = ReturnType<SqliteDatabase['prepare']>;

/**
 * A database that is open. Parameters are bound by position; `undefined` is bound as null. Integers come as numbers and
 * bytes as a Uint8Array. A statement that SQLite refuses throws an error whose `code` is SQLite's own name of the reason,
 * the extended one where there is one: SQLITE_CONSTRAINT_UNIQUE (https://www.sqlite.org/rescode.html).
 */
export interface SqliteConnection extends SqliteDatabase {
  readonly isOpen: boolean;
  readonly isInTransaction: boolean;
  /** Runs one statement or several, and drops the rows that they return. */
  exec(text: string): void;
}

/** Opens a database file, and creates it where it is missing. */
export type OpenSqlite = (file: string) => SqliteConnection;

export type LoadedSqlite =
  | { readonly kind: 'loaded'; readonly open: OpenSqlite }
  | { readonly kind: 'missing'; readonly reason: string; readonly nextStep?: string };

export interface SqliteDriver {
  readonly name: 'better-sqlite3' | 'node:sqlite';
  /** Loads nothing before it is called, and never rejects. */
  load(): Promise<LoadedSqlite>;
}
