// The source of calls that wait for people or run as tasks, and the rule that made them wait. Unknown for existing
// rows.
import type { Migration } from './migration.js';

export const callSources: Migration = {
  name: '016-call-sources',
  async up(db) {
    await db.schema.alterTable('approvals').addColumn('source', 'text').execute();
    await db.schema.alterTable('approvals').addColumn('rule', 'text').execute();
    await db.schema.alterTable('tasks').addColumn('source', 'text').execute();
  },
};
