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

/** What prepared statements need of a database. */
export interface PreparingDatabase {
  readonly reads: Kysely<Tables>;
  /** Runs a statement at once, as part of the transaction that is open, if one is. Undefined where rows have to be waited for. */
  readonly runNow: RunNow | undefined;
}

export type RunNow = <Row>(query: CompiledQuery<Row>) => readonly Row[];

/** @param build is called once, with what gives the gaps of the statement by their names */
export function prepare<Values extends object, Row>(
  { reads, runNow }: PreparingDatabase,
  build: (db: Kysely<Tables>, gap: <Name extends keyof Values>(name: Name) => Values[Name]) => Compilable<Row>,
): Prepared<Values, Row> {
  let compiled: CompiledQuery<Row> | undefined;
  return (on, values) => {
    // Kysely hands values on as they are, whatever their type, so a gap comes out where it was put in.
    compiled ??= build(reads, (name) => new Gap(name) as Values[typeof name]).compile();
    const parameters = compiled.parameters.map(
      (value) => (value instanceof Gap ? values[value.name as keyof Values] : value), // it was made from one
    );
    const filled: CompiledQuery<Row> = { ...compiled, parameters };
    return runNow === undefined ? on.executeQuery(filled).then(({ rows }) => rows) : runNow(filled);
  };
}
