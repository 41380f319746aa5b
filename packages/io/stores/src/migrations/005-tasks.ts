// Calls that go on without their callers.
import type { Migration } from './migration.js';

export const tasks: Migration = {
  name: '005-tasks',
  async up(db, { sequence }) {
    await db.schema
      .createTable('tasks')
      .addColumn('seq', sequence.type, sequence.define)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('principal', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('capability_id', 'text', (column) => column.notNull())
      .addColumn('request_id', 'text')
      .addColumn('key', 'text')
      .addColumn('trace_id', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('status_message', 'text')
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('input_requests', 'text')
      .addColumn('result', 'text')
      .execute();
    await db.schema.createIndex('tasks_of_principal').on('tasks').columns(['principal', 'seq']).execute();
    await db.schema.createIndex('tasks_by_age').on('tasks').column('created_at_ms').execute();
  },
};
