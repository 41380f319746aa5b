// Records are found by the ids of their requests, approvals and idempotency keys. Blocks of the index get a filter of ids
// each, when they are built again in their new format.
import { type Kysely, sql } from 'kysely';
import type { Migration } from './migration.js';

const ids = ['request_id', 'approval_id', 'idempotency_key'] as const;
/** Counted only, see `audit stats`. */
const sources = ['client', 'channel'] as const;

export const auditIds: Migration = {
  name: '017-audit-ids',
  async up(db, { bytes }) {
    await db.schema
      .createTable('audit_block_ids')
      .addColumn('log', 'text', (column) => column.notNull())
      .addColumn('first_seq', 'bigint', (column) => column.notNull())
      .addColumn('id_filter', bytes, (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_block_ids_in_order', ['log', 'first_seq'])
      .execute();
    for (const column of [...ids, ...sources])
      await db.schema.alterTable('audit_records').addColumn(column, 'text').execute();
    const { rows } = await sql`select 1 from audit_records limit 1`.execute(db);
    if (rows.length > 0) await fill(db); // of PostgreSQL: no other database has any
    for (const id of ids) {
      await db.schema.createIndex(`audit_records_by_${id}`).on('audit_records').columns([id, 'order_ms']).execute();
    }
  },
};

/** Columns hold no longer text than this; those of longer ones are made by the daemon only, and stay null here. */
const maxLength = 128;

/**
 * Takes the ids out of the lines. A line that PostgreSQL cannot read as JSON keeps its columns null, and queries read its
 * text: one that was edited, or one with a NUL in an argument.
 */
async function fill(db: Kysely<unknown>): Promise<void> {
  await sql`create function portico_read_line(line text) returns jsonb language plpgsql immutable as $$
    begin
      return line::jsonb;
    exception when others then
      return null;
    end $$`.execute(db);
  const columnOf = (column: string) => {
    const path = sql.lit(column === 'client' ? '{client,name}' : `{${column}}`);
    const value = sql`coalesce(members #>> ${path}, '')`;
    return sql`${sql.ref(column)} = case when members is null or length(${value}) > ${sql.lit(maxLength)} then null else ${value} end`;
  };
  await sql`update audit_records set ${sql.join([...ids, ...sources].map(columnOf))}
    from (select chain_id, seq, portico_read_line(line) as members from audit_records) as read
    where read.chain_id = audit_records.chain_id and read.seq = audit_records.seq`.execute(db);
  await sql`drop function portico_read_line(text)`.execute(db);
}
