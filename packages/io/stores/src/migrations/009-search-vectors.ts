// Vectors of definitions, so that a restart computes none again.
import type { Migration } from './migration.js';

export const searchVectors: Migration = {
  name: '009-search-vectors',
  async up(db, { bytes }) {
    await db.schema
      .createTable('search_vectors')
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('digest', 'text', (column) => column.notNull())
      .addColumn('vector', bytes, (column) => column.notNull())
      .addColumn('used_at_ms', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('search_vectors_key', ['model', 'digest'])
      .execute();
    await db.schema.createIndex('search_vectors_by_use').on('search_vectors').column('used_at_ms').execute();
  },
};
