// The roles under which calls were made that wait for people: they run under the same, whoever approves them.
import type { Migration } from './migration.js';

export const callerRoles: Migration = {
  name: '008-caller-roles',
  async up(db) {
    await db.schema.alterTable('approvals').addColumn('role', 'text').execute();
    await db.schema.alterTable('approvals').addColumn('actor', 'text').execute();
  },
};
