// A daemon on PostgreSQL that has become silent for others. For tests only.
import { sql } from 'kysely';
import type { StateDatabase } from '../database.js';

/** Its lease is not renewed any more, as if the process stood still. */
export async function silence({ owner, reads }: StateDatabase): Promise<void> {
  await sql`create or replace function keep_silent() returns trigger language plpgsql as $$ begin return null; end $$`.execute(
    reads,
  );
  await sql`create trigger silent before insert or update on daemons for each row when (new.id = ${sql.lit(owner)}) execute function keep_silent()`.execute(
    reads,
  );
}
