// Brings a database to the schema of this version, and refuses one that a newer version has written.
import { DEFAULT_MIGRATION_TABLE, type Kysely, Migrator } from 'kysely';
import type { Tables } from '../tables.js';
import { executions } from './001-executions.js';
import { approvals } from './002-approvals.js';
import { audit } from './003-audit.js';
import { sampling } from './004-sampling.js';
import { tasks } from './005-tasks.js';
import { catalogFeed } from './006-catalog-feed.js';
import { oauth } from './007-oauth.js';
import { callerRoles } from './008-caller-roles.js';
import { searchVectors } from './009-search-vectors.js';
import { definitions } from './010-definitions.js';
import { daemons } from './011-daemons.js';
import { auditRecords } from './012-audit-records.js';
import { configurationChanges } from './013-configuration-changes.js';
import { approvalDefinitions } from './014-approval-definitions.js';
import { auditCheckpoints } from './015-audit-checkpoints.js';
import { callSources } from './016-call-sources.js';
import { auditIds } from './017-audit-ids.js';
import { budgets } from './018-budgets.js';
import { grants } from './019-grants.js';
import { budgetHolds } from './020-budget-holds.js';
import { budgetGenerations } from './021-budget-generations.js';
import type { Migration, SqlTypes } from './migration.js';

/** Oldest first. New ones go to the end. */
export const migrations: readonly Migration[] = [
  executions,
  approvals,
  audit,
  sampling,
  tasks,
  catalogFeed,
  oauth,
  callerRoles,
  searchVectors,
  definitions,
  daemons,
  auditRecords,
  configurationChanges,
  approvalDefinitions,
  auditCheckpoints,
  callSources,
  auditIds,
  budgets,
  grants,
  budgetHolds,
  budgetGenerations,
];

/** The database has been migrated further than this version knows how to read. */
export class NewerSchemaError extends Error {
  readonly migration: string;

  constructor(migration: string) {
    super(`migration ${migration} is unknown to this version`);
    this.migration = migration;
  }
}

export interface MigrateOptions {
  readonly known?: readonly Migration[];
  /** Where the tables are, of a database that has several such places. */
  readonly schema?: string;
}

/** Runs what has not been run yet: all of it or nothing. @throws NewerSchemaError */
export async function migrate(
  db: Kysely<Tables>,
  types: SqlTypes,
  { known = migrations, schema }: MigrateOptions = {},
): Promise<void> {
  const applied = await appliedNames(db, schema);
  const stranger = applied.find((done) => !known.some(({ name }) => name === done));
  if (stranger !== undefined) throw new NewerSchemaError(stranger);
  if (applied.length === known.length) return;
  const entries = known.map(({ name, up }) => [name, { up: (trx: Kysely<unknown>) => up(trx, types) }] as const);
  const provider = { getMigrations: async () => Object.fromEntries(entries) };
  const migrator = new Migrator({
    db,
    provider,
    nameComparator: byCodeUnits,
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** As names sort everywhere: by a locale they may not, and to load its rules takes 9 ms. */
function byCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

async function appliedNames(db: Kysely<Tables>, schema: string | undefined): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isOurs = (table: (typeof tables)[number]) => schema === undefined || table.schema === schema;
  if (!tables.some((table) => table.name === DEFAULT_MIGRATION_TABLE && isOurs(table))) return [];
  const rows = await (schema === undefined ? db : db.withSchema(schema))
    .withTables<{ [DEFAULT_MIGRATION_TABLE]: { readonly name: string } }>()
    .selectFrom(DEFAULT_MIGRATION_TABLE)
    .select('name')
    .execute();
  return rows.map(({ name }) => name);
}
