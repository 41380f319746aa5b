// Whose open rows are: those of a daemon that lives are its alone, those of one that is gone are for whoever takes them.
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from './tables.js';

/** Whether another daemon lives. */
export async function isAlive(db: Kysely<Tables>, id: string | null): Promise<boolean> {
  if (id === null) return false;
  return (await db.selectFrom('daemons').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** The row belongs to nobody who lives. @param owner of the process that asks, which does, whatever the table says */
export function isLeftBehind(owner: string): RawBuilder<SqlBool> {
  return sql`(owner is null or (owner <> ${owner} and owner not in (select id from daemons)))`;
}
