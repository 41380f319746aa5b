// Where calls come from that wait for people or go on as tasks, and the rule that has them wait. Of those that are there
// already it is not known.
import type { Migration } from './migration.js';

export const callSources: Migration = {
  name: '016-call-sources',
  async up(db) {
    await db.schema.alterTable('approvals').addColumn('source', 'text').execute();
    await db.schema.alterTable('approvals').addColumn('rule', 'text').execute();
    await db.schema.alterTable('tasks').addColumn('source', 'text').execute();
  },
};
