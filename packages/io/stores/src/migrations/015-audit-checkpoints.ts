// Signed checkpoints of the audit chains, of every daemon that uses the database. Only PostgreSQL has any; with SQLite
// they are beside the log's file, and the table stays empty.
import type { Migration } from './migration.js';

export const auditCheckpoints: Migration = {
  name: '015-audit-checkpoints',
  async up(db) {
    await db.schema
      .createTable('audit_checkpoints')
      .addColumn('chain_id', 'text', (column) => column.notNull())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('line', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('audit_checkpoints_of_chain', ['chain_id', 'seq'])
      .execute();
  },
};
