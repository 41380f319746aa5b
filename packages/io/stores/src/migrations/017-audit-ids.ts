// Records are found by the ids of their requests, approvals and idempotency keys. Blocks of the index get a filter of ids
// each, when they are built again in their new format.
import type { Migration } from './migration.js';

const ids = ['request_id', 'approval_id', 'idempotency_key'] as const;
/** Counted only, see `audit stats`. */
const sources = ['client', 'channel'] as const;

/**
 * Writes no row of `audit_records`, which may be millions: a column that may be null changes the catalog of the database
 * only. Rows that are there stay null, and daemons fill them in, see postgres/audit/fill-columns.ts.
 */
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
    for (const id of ids) {
      await db.schema.createIndex(`audit_records_by_${id}`).on('audit_records').columns([id, 'order_ms']).execute();
    }
  },
};
