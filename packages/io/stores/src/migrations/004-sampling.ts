// Sampling tickets: what servers, and callers in their name, ask of a model.
import { sql } from 'kysely';
import type { Migration } from './migration.js';

export const sampling: Migration = {
  name: '004-sampling',
  async up(db, { sequence }) {
    await db.schema
      .createTable('sampling')
      .addColumn('seq', sequence.type, sequence.define)
      .addColumn('server_id', 'text', (column) => column.notNull())
      .addColumn('params', 'text', (column) => column.notNull())
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('correlation', 'text')
      .addColumn('principal', 'text')
      .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('result', 'text')
      .execute();
    await db.schema
      .createIndex('sampling_pending')
      .on('sampling')
      .column('seq')
      .where(sql.ref('status'), '=', 'pending')
      .execute();
    await db.schema.createIndex('sampling_by_status').on('sampling').columns(['status', 'seq']).execute();
    await db.schema.createIndex('sampling_by_server').on('sampling').columns(['server_id', 'seq']).execute();
    await db.schema.createIndex('sampling_by_age').on('sampling').column('created_at_ms').execute();
  },
};
