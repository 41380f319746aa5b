// Statements that run for every call: each is built and compiled once, and a run only fills in what changes. For the
// others it is not worth it; building a statement takes longer than SQLite takes to run it, but tens of microseconds.
import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './tables.js';

/** Stands in a statement for a value that each run brings. */
class Gap {
  constructor(readonly name: PropertyKey) {}
}

/**
 * Gives the rows at once where the database can.
 * @param db the database that it was prepared for, or a transaction of it
 */
export type Prepared<Values, Row> = (db: Kysely<Tables>, values: Values) => readonly Row[] | Promise<readonly Row[]>;

/** The part of a database that prepared statements need. */
export interface PreparingDatabase {
  readonly reads: Kysely<Tables>;
  /** Undefined if the result of a statement has to be waited for. */
  readonly now: RunsNow | undefined;
}

/** Runs a statement at once, as part of the transaction that is open, if one is. */
export interface RunsNow {
  rows(text: string, parameters: readonly unknown[]): readonly unknown[];
  /** For a statement that returns no rows. */
  change(text: string, parameters: readonly unknown[]): Change;
}

export interface Change {
  /** How many rows were inserted, updated or deleted. */
  readonly rows: number;
  /** Number of the row that was inserted, where one was. */
  readonly insertedId: number;
}

/** Gives the place of a value that each run brings, by its name. */
export type GapOf<Values> = <Name extends keyof Values>(name: Name) => Values[Name];

type Build<Values, Row> = (db: Kysely<Tables>, gap: GapOf<Values>) => Compilable<Row>;

/** @param build is called once, with what gives the gaps of the statement by their names */
export function prepare<Values extends object, Row>(
  { reads, now }: PreparingDatabase,
  build: Build<Values, Row>,
): Prepared<Values, Row> {
  const statement = new Statement(reads, build);
  if (now === undefined) return (on, values) => on.executeQuery(statement.fill(values)).then(({ rows }) => rows);
  return (_, values) => now.rows(statement.text, statement.parameters(values)) as readonly Row[]; // as it selects them
}

/**
 * Prepares a statement that returns no rows. With RETURNING, SQLite keeps the rows of a statement in a table of their own
 * first; to insert a row takes 1.5 to 2 times as long then.
 */
export function prepareChange<Values extends object>(
  { reads, now }: Pick<PreparingDatabase, 'reads'> & { readonly now: RunsNow },
  build: Build<Values, unknown>,
): (values: Values) => Change {
  const statement = new Statement(reads, build);
  return (values) => now.change(statement.text, statement.parameters(values));
}

class Statement<Values extends object, Row> {
  readonly #reads: Kysely<Tables>;
  readonly #build: Build<Values, Row>;
  #compiled: CompiledQuery<Row> | undefined;

  constructor(reads: Kysely<Tables>, build: Build<Values, Row>) {
    this.#reads = reads;
    this.#build = build;
  }

  get text(): string {
    return this.#once().sql;
  }

  parameters(values: Values): readonly unknown[] {
    return this.#once().parameters.map(
      (value) => (value instanceof Gap ? values[value.name as keyof Values] : value), // it was made from one
    );
  }

  fill(values: Values): CompiledQuery<Row> {
    return { ...this.#once(), parameters: this.parameters(values) };
  }

  #once(): CompiledQuery<Row> {
    // Kysely passes values of any type on unchanged, so a placeholder keeps its position.
    this.#compiled ??= this.#build(this.#reads, (name) => new Gap(name) as Values[typeof name]).compile();
    return this.#compiled;
  }
}
