// Audit records, of every daemon that uses the database: a chain each. Only PostgreSQL has any; with SQLite they are in a
// file or in memory, and the table stays empty.
import type { Migration } from './migration.js';

/** Conditions of queries, each with the order that its records are shown in. */
const filtered = ['actor_id', 'at_ms', 'capability_id', 'event_type', 'server_id', 'status', 'trace_id'] as const;

export const auditRecords: Migration = {
  name: '012-audit-records',
  async up(db) {
    await db.schema
      .createTable('audit_records')
      .addColumn('chain_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('order_ms', 'bigint', (column) => column.notNull())
      .addColumn('at_ms', 'bigint')
      .addColumn('event_type', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('trace_id', 'text')
      .addColumn('actor_id', 'text')
      .addColumn('server_id', 'text')
      .addColumn('capability_id', 'text')
      .addColumn('line', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_records_of_chain', ['chain_id', 'seq'])
      .execute();
    await db.schema.alterTable('audit_heads').addColumn('writer', 'text').execute();
    await db.schema
      .createIndex('audit_records_in_order')
      .on('audit_records')
      .columns(['order_ms', 'chain_id', 'seq'])
      .execute();
    for (const column of filtered) {
      await db.schema
        .createIndex(`audit_records_by_${column}`)
        .on('audit_records')
        .columns([column, 'order_ms'])
        .execute();
    }
  },
};
