// The shape of a migration. It is never changed once released: a database remembers only its name.
import type { ColumnDataType, ColumnDefinitionBuilder, Kysely } from 'kysely';

/** A primary key that counts up and never gives a number twice. Each database has its own way to define one. */
export interface Sequence {
  readonly type: ColumnDataType;
  readonly define: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
}

/** The types that databases do not agree on. */
export interface SqlTypes {
  readonly sequence: Sequence;
  /** Bytes of any number. */
  readonly bytes: ColumnDataType;
  /** Whether an index takes texts of any length; see long-text.ts. */
  readonly indexesLongText: boolean;
}

export interface Migration {
  /** Starts with its number, so that names sort in the order in which they run. */
  readonly name: string;
  readonly up: (db: Kysely<unknown>, types: SqlTypes) => Promise<void>;
}
