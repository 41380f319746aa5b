// Several daemons on one database: which of them live, whose the open rows are, and what they ask of one another.
import { sql } from 'kysely';
import type { Migration } from './migration.js';

const owned = ['executions', 'approvals', 'sampling', 'tasks'] as const;

export const daemons: Migration = {
  name: '011-daemons',
  async up(db) {
    await db.schema
      .createTable('daemons')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('state_directory', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('lease_until_ms', 'bigint', (column) => column.notNull())
      .execute();
    for (const table of owned) await db.schema.alterTable(table).addColumn('owner', 'text').execute();
    await db.schema
      .alterTable('executions')
      .addColumn('is_awaited', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createIndex('tasks_open')
      .on('tasks')
      .column('owner')
      .where(sql.ref('status'), 'in', sql`('working', 'input_required')`)
      .execute();
    await db.schema
      .createTable('errands')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('daemon', 'text', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('answer', 'text')
      .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
      .execute();
  },
};
