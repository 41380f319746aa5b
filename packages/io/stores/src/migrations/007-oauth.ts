// The results of logins to upstream servers, encrypted: only the addresses are readable without the key.
import type { Migration } from './migration.js';

export const oauth: Migration = {
  name: '007-oauth',
  async up(db, { bytes }) {
    await db.schema
      .createTable('oauth')
      .addColumn('server', 'text', (column) => column.notNull())
      .addColumn('issuer', 'text', (column) => column.notNull())
      .addColumn('sealed_with', 'text', (column) => column.notNull())
      .addColumn('sealed', bytes, (column) => column.notNull())
      .addPrimaryKeyConstraint('oauth_of_server', ['server', 'issuer', 'sealed_with'])
      .execute();
  },
};
