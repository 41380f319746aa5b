// The accounts of budgets.
import type { Migration } from './migration.js';

const numbers = [
  'calls',
  'cost_micros',
  'result_bytes',
  'result_tokens',
  'upstream_us',
  'in_flight',
  'reserved_bytes',
  'reserved_tokens',
  'reserved_us',
  'largest_bytes',
  'largest_tokens',
  'largest_us',
] as const;

export const budgets: Migration = {
  name: '018-budgets',
  async up(db) {
    let table = db.schema
      .createTable('budget_accounts')
      .addColumn('budget', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('start_ms', 'bigint', (column) => column.notNull())
      .addColumn('end_ms', 'bigint');
    for (const name of numbers) table = table.addColumn(name, 'bigint', (column) => column.notNull());
    await table.addPrimaryKeyConstraint('budget_accounts_key', ['budget', 'scope', 'start_ms']).execute();
  },
};
