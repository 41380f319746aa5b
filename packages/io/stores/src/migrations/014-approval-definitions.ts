// The definition that each ticket asks about. Tickets that are there already have none, and are asked again.
import type { Migration } from './migration.js';

export const approvalDefinitions: Migration = {
  name: '014-approval-definitions',
  async up(db) {
    await db.schema.alterTable('approvals').addColumn('definition', 'text').execute();
    await db.schema.alterTable('approvals').addColumn('definition_digest', 'text').execute();
  },
};
