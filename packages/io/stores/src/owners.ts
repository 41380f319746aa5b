// Ownership of open rows: those of a live daemon belong to it alone, those of an ended one to the first process that
// claims them.
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from './tables.js';

/** Whether another daemon lives. */
export async function isAlive(db: Kysely<Tables>, id: string | null): Promise<boolean> {
  if (id === null) return false;
  return (await db.selectFrom('daemons').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/**
 * True if no live process owns the row. @param owner of the process that asks, which counts as live regardless of the
 * table
 */
export function isLeftBehind(owner: string): RawBuilder<SqlBool> {
  return sql`(owner is null or (owner <> ${owner} and owner not in (select id from daemons)))`;
}
