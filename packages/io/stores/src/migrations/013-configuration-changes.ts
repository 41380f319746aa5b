// Changes that daemons make in their configuration files, for the files of others, and the position of each file.
import type { Migration } from './migration.js';

export const configurationChanges: Migration = {
  name: '013-configuration-changes',
  async up(db, { sequence }) {
    await db.schema
      .createTable('configuration_changes')
      .addColumn('seq', sequence.type, sequence.define)
      .addColumn('file', 'text', (column) => column.notNull())
      .addColumn('edits', 'text', (column) => column.notNull())
      .addColumn('made_at_ms', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('configuration_readers')
      .addColumn('file', 'text', (column) => column.primaryKey())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('outline', 'text', (column) => column.notNull())
      .execute();
  },
};
