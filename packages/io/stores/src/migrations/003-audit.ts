// State of audit logs beside their files: the head of each, an index of its records, and how far each was sent.
import type { Migration } from './migration.js';

export const audit: Migration = {
  name: '003-audit',
  async up(db, { bytes }) {
    await db.schema
      .createTable('audit_heads')
      .addColumn('log', 'text', (column) => column.primaryKey())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('end_offset', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('audit_blocks')
      .addColumn('log', 'text', (column) => column.notNull())
      .addColumn('first_seq', 'bigint', (column) => column.notNull())
      .addColumn('format', 'integer', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('start_offset', 'bigint', (column) => column.notNull())
      .addColumn('end_offset', 'bigint', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('min_ms', 'bigint', (column) => column.notNull())
      .addColumn('max_ms', 'bigint', (column) => column.notNull())
      .addColumn('terms', 'text', (column) => column.notNull())
      .addColumn('columns', bytes, (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_blocks_in_order', ['log', 'first_seq'])
      .execute();
    await db.schema
      .createTable('siem_cursors')
      .addColumn('target', 'text', (column) => column.notNull())
      .addColumn('log', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('siem_cursors_of_target', ['target', 'log'])
      .execute();
  },
};
