// Approval tickets. At most one ticket of a principal's key is pending, across all processes.
import { sql } from 'kysely';
import { makeUniqueByHash } from './long-text.js';
import type { Migration } from './migration.js';

export const approvals: Migration = {
  name: '002-approvals',
  async up(db, { sequence, indexesLongText }) {
    await db.schema
      .createTable('approvals')
      .addColumn('seq', sequence.type, sequence.define)
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('capability_id', 'text', (column) => column.notNull())
      .addColumn('server_id', 'text', (column) => column.notNull())
      .addColumn('args', 'text', (column) => column.notNull())
      .addColumn('sanitized_args', 'text', (column) => column.notNull())
      .addColumn('correlation', 'text', (column) => column.notNull())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('profile', 'text')
      .addColumn('key', 'text')
      .addColumn('fingerprint', 'text')
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('decision', 'text', (column) => column.notNull())
      .addColumn('run_state', 'text', (column) => column.notNull())
      .addColumn('result', 'text')
      .execute();
    const unique = { table: 'approvals', name: 'approvals_pending_key', columns: ['principal', 'key'] as const };
    if (indexesLongText) {
      await db.schema
        .createIndex(unique.name)
        .unique()
        .on(unique.table)
        .columns([...unique.columns])
        .where(sql.ref('status'), '=', 'pending')
        .execute();
      await db.schema.createIndex('approvals_of_key').on('approvals').columns(['principal', 'key', 'seq']).execute();
    } else await makeUniqueByHash(db, { ...unique, where: sql`status = 'pending'` });
    await db.schema.createIndex('approvals_by_status').on('approvals').columns(['status', 'seq']).execute();
    await db.schema.createIndex('approvals_by_age').on('approvals').column('created_at_ms').execute();
  },
};
