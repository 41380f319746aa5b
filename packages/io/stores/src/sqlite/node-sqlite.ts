// node:sqlite as a driver: the SQLite of Node 24 and later, and of 22.16 and later, which call it experimental. It behaves
// as better-sqlite3 does, so the stores do not know which one they have.
import type { OpenSqlite, SqliteConnection, SqliteDriver, SqliteStatement } from './connection.js';
import { nameOfResult } from './result-codes.js';

/**
 * The part of https://nodejs.org/api/sqlite.html that is used; the types of the oldest supported Node do not have it.
 */
interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => DatabaseSync;
  readonly StatementSync: { readonly prototype: object };
}

interface DatabaseSync {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  prepare(text: string): StatementSync;
  exec(text: string): void;
  close(): void;
}

interface StatementSync {
  all(...parameters: unknown[]): Values[];
  run(...parameters: unknown[]): ReturnType<SqliteStatement['run']>;
  iterate(...parameters: unknown[]): Iterable<Values>;
  columns(): readonly { readonly name: string }[];
  setReturnArrays(isOn: boolean): void;
}

/** A row, in the order of its columns. */
type Values = readonly unknown[];

export const nodeSqlite: SqliteDriver = {
  name: 'node:sqlite',
  async load() {
    const found = withoutSqliteWarning(() => process.getBuiltinModule('node:sqlite')) as NodeSqlite | undefined; // by its name
    // Older releases of Node 22 cannot say whether a statement returns rows, or whether a transaction is open.
    const isUsable = found !== undefined && 'setReturnArrays' in found.StatementSync.prototype;
    if (isUsable) return { kind: 'loaded', open: openWith(found) };
    return { kind: 'missing', reason: `Node ${process.version} has no SQLite of its own` };
  },
};

function openWith({ DatabaseSync }: NodeSqlite): OpenSqlite {
  const probe = new DatabaseSync(':memory:');
  const [[text] = []] = allOf(probe.prepare('select char(97, 0, 98)'));
  probe.close();
  const toBindable = text === 'a\0b' ? toValue : toValueWithoutNull;
  return (file) =>
    toConnection(
      named(() => new DatabaseSync(file)),
      toBindable,
    );
}

function allOf(statement: StatementSync): Values[] {
  statement.setReturnArrays(true);
  return statement.all();
}

type ToBindable = (value: unknown) => unknown;

function toConnection(sqlite: DatabaseSync, toBindable: ToBindable): SqliteConnection {
  return {
    get isOpen() {
      return sqlite.isOpen;
    },
    get isInTransaction() {
      return sqlite.isTransaction;
    },
    prepare: (text) =>
      toStatement(
        named(() => sqlite.prepare(text)),
        toBindable,
      ),
    exec: (text) => named(() => sqlite.exec(text)),
    close: () => sqlite.close(),
  };
}

function toStatement(statement: StatementSync, toBindable: ToBindable): SqliteStatement {
  let columns = columnsOf(statement);
  // Objects made here take half the time of those that Node makes, and have the usual prototype, which those lack.
  statement.setReturnArrays(true);
  const toRow = (values: Values): object => {
    if (values.length !== columns.length) columns = columnsOf(statement); // the table has another column since
    const row: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i]; // i is below the length
    return row;
  };
  return {
    reader: columns.length > 0,
    all: (parameters) => named(() => statement.all(...parameters.map(toBindable))).map(toRow),
    run: (parameters) => named(() => statement.run(...parameters.map(toBindable))),
    *iterate(parameters) {
      try {
        for (const values of statement.iterate(...parameters.map(toBindable))) yield toRow(values);
      } catch (error) {
        throw toNamed(error);
      }
    },
  };
}

function columnsOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

/** As better-sqlite3 has it. Node takes an object for parameters by name, and binds a boolean in some versions. */
function toValue(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (['string', 'number', 'bigint'].includes(typeof value) || ArrayBuffer.isView(value)) return value;
  throw new TypeError(`SQLite cannot bind a value of type ${typeof value}`);
}

/** Node 22 reads a text up to its first null character, so what is written has U+2400 in its place, as in PostgreSQL. */
function toValueWithoutNull(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u2400') : toValue(value);
}

class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly code: string;

  constructor(code: string, cause: Error) {
    super(cause.message, { cause });
    this.code = code;
  }
}

function named<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw toNamed(error);
  }
}

/** A refusal of SQLite with the name that SQLite has for it, of which Node gives the number; any other error as it is. */
function toNamed(error: unknown): unknown {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return error;
  return new SqliteError(nameOfResult(error.errcode), error);
}

/** Node warns once that its SQLite is an experiment, when the module is loaded. Any other warning passes. */
function withoutSqliteWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = (...warning: unknown[]) => {
    const [message, type] = warning;
    if (type === 'ExperimentalWarning' && String(message).startsWith('SQLite ')) return;
    Reflect.apply(emitWarning, process, warning);
  };
  try {
    return load(); // in this turn of the event loop, so nothing else runs with the filter in place
  } finally {
    process.emitWarning = emitWarning;
  }
}
