// The ledger of executions: the request under a key, and its outcome.
import { sql } from 'kysely';
import { makeUniqueByHash } from './long-text.js';
import type { Migration } from './migration.js';

export const executions: Migration = {
  name: '001-executions',
  async up(db, { sequence, indexesLongText }) {
    const table = db.schema
      .createTable('executions')
      .addColumn('seq', sequence.type, sequence.define)
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('fingerprint', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('capability_id', 'text', (column) => column.notNull())
      .addColumn('first_trace_id', 'text', (column) => column.notNull())
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('completed_at_ms', 'bigint')
      .addColumn('expires_at_ms', 'bigint')
      .addColumn('response', 'text', (column) => column.notNull())
      .addColumn('replay_count', 'integer', (column) => column.notNull().defaultTo(0));
    const unique = { table: 'executions', name: 'executions_of_key', columns: ['scope', 'key'] as const };
    if (indexesLongText) await table.addUniqueConstraint(unique.name, [...unique.columns]).execute();
    else {
      await table.execute();
      await makeUniqueByHash(db, unique);
    }
    await db.schema
      .createIndex('executions_newest_first')
      .on('executions')
      .columns(['scope', 'created_at_ms desc', 'seq desc'])
      .execute();
    await db.schema.createIndex('executions_by_expiry').on('executions').column('expires_at_ms').execute();
    await db.schema
      .createIndex('executions_interrupted')
      .on('executions')
      .column('seq')
      .where(sql.ref('completed_at_ms'), 'is', null)
      .execute();
  },
};
