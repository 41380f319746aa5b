// The last listed entries, and the changes since.
import { makeUniqueByHash } from './long-text.js';
import type { Migration } from './migration.js';

export const catalogFeed: Migration = {
  name: '006-catalog-feed',
  async up(db, { sequence, indexesLongText }) {
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
    const entries = db.schema
      .createTable('catalog_entries')
      .addColumn('object_type', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull());
    const key = { table: 'catalog_entries', name: 'catalog_entries_key', columns: ['object_type', 'id'] as const };
    if (indexesLongText) await entries.addPrimaryKeyConstraint(key.name, [...key.columns]).execute();
    else {
      await entries.execute();
      await makeUniqueByHash(db, key);
    }
  },
};
