// The last known definitions of every server, so that a start knows them before any server is connected.
import type { Migration } from './migration.js';

export const definitions: Migration = {
  name: '010-definitions',
  async up(db) {
    await db.schema
      .createTable('definitions')
      .addColumn('server', 'text', (column) => column.primaryKey())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('traits', 'text', (column) => column.notNull())
      .addColumn('definitions', 'text', (column) => column.notNull())
      .execute();
  },
};
