// Texts that may be longer than an index takes: PostgreSQL refuses 2,704 bytes and more, and keys and ids come from others.
import { type Kysely, type RawBuilder, sql } from 'kysely';

export interface UniqueText {
  readonly table: string;
  readonly name: string;
  /** The last one is that by which rows are looked for. */
  readonly columns: readonly string[];
  readonly where?: RawBuilder<unknown>;
}

/**
 * Makes columns of any length unique together by 128 bits of hash for each, and their rows searchable by the last one.
 * A text that shares its hashes with another is refused as a duplicate.
 */
export async function makeUniqueByHash(
  db: Kysely<unknown>,
  { table, name, columns, where }: UniqueText,
): Promise<void> {
  const hashes = columns.flatMap((column) =>
    [0, 1].map((seed) => sql`hashtextextended(${sql.ref(column)}, ${sql.lit(seed)})`),
  );
  const only = where === undefined ? sql`` : sql` where ${where}`;
  await sql`create unique index ${sql.ref(name)} on ${sql.table(table)} (${sql.join(hashes)})${only}`.execute(db);
  const last = columns.at(-1) ?? '';
  await sql`create index ${sql.ref(`${name}_lookup`)} on ${sql.table(table)} using hash (${sql.ref(last)})`.execute(db);
}
