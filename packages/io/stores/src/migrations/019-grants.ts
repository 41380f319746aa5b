// Grants: approvals that answer later calls as well.
import type { Migration } from './migration.js';

const texts = [
  'kind',
  'capability_id',
  'server_id',
  'principal',
  'subject',
  'definition_digest',
  'policy_digest',
  'conditions',
  'names',
  'issued_by',
  'approval_id',
] as const;
const optionalTexts = ['profile', 'role', 'actor', 'client', 'revoked_by'] as const;
const numbers = ['uses', 'uses_left', 'created_at_ms', 'expires_at_ms'] as const;
const optionalNumbers = ['revoked_at_ms', 'last_used_at_ms'] as const;

export const grants: Migration = {
  name: '019-grants',
  async up(db, { sequence }) {
    let table = db.schema.createTable('grants').addColumn('seq', sequence.type, sequence.define);
    for (const name of texts) table = table.addColumn(name, 'text', (column) => column.notNull());
    for (const name of optionalTexts) table = table.addColumn(name, 'text');
    for (const name of numbers) table = table.addColumn(name, 'bigint', (column) => column.notNull());
    for (const name of optionalNumbers) table = table.addColumn(name, 'bigint');
    await table.execute();
    await db.schema.createIndex('grants_by_subject').on('grants').columns(['subject', 'expires_at_ms']).execute();
    await db.schema.createIndex('grants_by_expiry').on('grants').column('expires_at_ms').execute();
  },
};
