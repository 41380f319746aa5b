// The generation of an account: a call that ends after a reset does not settle on the account that has followed.
import type { Migration } from './migration.js';

export const budgetGenerations: Migration = {
  name: '021-budget-generations',
  async up(db) {
    await db.schema
      .alterTable('budget_accounts')
      .addColumn('generation', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
