// The part of accounts that the calls in flight of one process hold, for databases that several share.
import type { Migration } from './migration.js';

const numbers = ['in_flight', 'reserved_bytes', 'reserved_tokens', 'reserved_us'] as const;

export const budgetHolds: Migration = {
  name: '020-budget-holds',
  async up(db) {
    let table = db.schema
      .createTable('budget_holds')
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('budget', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('start_ms', 'bigint', (column) => column.notNull());
    for (const name of numbers) table = table.addColumn(name, 'bigint', (column) => column.notNull());
    await table.addPrimaryKeyConstraint('budget_holds_key', ['owner', 'budget', 'scope', 'start_ms']).execute();
  },
};
