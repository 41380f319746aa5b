// What was last listed, and what changed of it.
import type { Migration } from './migration.js';

export const catalogFeed: Migration = {
  name: '006-catalog-feed',
  async up(db, { sequence }) {
    await db.schema
      .createTable('catalog_events')
      .addColumn('seq', sequence.type, sequence.define)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('timestamp', 'bigint', (column) => column.notNull())
      .addColumn('object_type', 'text', (column) => column.notNull())
      .addColumn('object_id', 'text', (column) => column.notNull())
      .addColumn('change_type', 'text', (column) => column.notNull())
      .addColumn('catalog_version', 'text', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('catalog_entries')
      .addColumn('object_type', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('catalog_entries_key', ['object_type', 'id'])
      .execute();
  },
};
