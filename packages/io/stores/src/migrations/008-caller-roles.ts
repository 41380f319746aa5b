// The roles of calls that wait for people: they run under the same role, regardless of the approver.
import type { Migration } from './migration.js';

export const callerRoles: Migration = {
  name: '008-caller-roles',
  async up(db) {
    await db.schema.alterTable('approvals').addColumn('role', 'text').execute();
    await db.schema.alterTable('approvals').addColumn('actor', 'text').execute();
  },
};
