// The accounts of budgets as rows of the state database, and the statements that read and write them.
import { randomInt } from 'node:crypto';
import { type Account, type AccountKey, emptyAccount, type StoredAccount } from '@portico/control-plane';
import type { Kysely } from 'kysely';
import type { StateDatabase } from '../database.js';
import { type GapOf, type Prepared, prepare } from '../prepared.js';
import type { BudgetAccountRow, Tables } from '../tables.js';

const keyColumns = ['budget', 'scope', 'start_ms'] as const;

export type RowKey = Pick<BudgetAccountRow, (typeof keyColumns)[number]>;

export interface AccountStatements {
  readonly read: Prepared<RowKey, BudgetAccountRow>;
  /** The same; in a database with several writers, the row stays locked until the transaction ends. */
  readonly find: Prepared<RowKey, BudgetAccountRow>;
  readonly put: Prepared<BudgetAccountRow, unknown>;
  /** Leaves a row that is there as it is. */
  readonly add: Prepared<BudgetAccountRow, unknown>;
}

export function prepareAccountStatements(database: StateDatabase): AccountStatements {
  const select = (on: Kysely<Tables>, gap: GapOf<RowKey>) =>
    on
      .selectFrom('budget_accounts')
      .selectAll()
      .where('budget', '=', gap('budget'))
      .where('scope', '=', gap('scope'))
      .where('start_ms', '=', gap('start_ms'));
  const isShared = database.now === undefined;
  return {
    read: prepare(database, select),
    find: prepare(database, (on, gap) => (isShared ? select(on, gap).forUpdate() : select(on, gap))),
    put: prepare(database, (on, gap) => {
      const changed = Object.fromEntries(numberColumns.map((column) => [column, gap(column)]));
      return on
        .insertInto('budget_accounts')
        .values(gapsOf(gap))
        .onConflict((conflict) => conflict.columns([...keyColumns]).doUpdateSet(changed));
    }),
    add: prepare(database, (on, gap) =>
      on
        .insertInto('budget_accounts')
        .values(gapsOf(gap))
        .onConflict((conflict) => conflict.doNothing()),
    ),
  };
}

const numberColumns = [
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

function gapsOf(gap: GapOf<BudgetAccountRow>): BudgetAccountRow {
  const columns = [...keyColumns, 'end_ms', 'generation', ...numberColumns] as const;
  return Object.fromEntries(columns.map((column) => [column, gap(column)])) as unknown as BudgetAccountRow; // all of them
}

export function toRowKey({ budget, scope, startMs }: AccountKey): RowKey {
  return { budget, scope, start_ms: startMs };
}

export function toAccount(row: Omit<BudgetAccountRow, keyof RowKey | 'end_ms'>): Account {
  return {
    generation: row.generation,
    calls: row.calls,
    costMicros: row.cost_micros,
    resultBytes: row.result_bytes,
    resultTokens: row.result_tokens,
    upstreamUs: row.upstream_us,
    inFlight: row.in_flight,
    reserved: { resultBytes: row.reserved_bytes, resultTokens: row.reserved_tokens, upstreamUs: row.reserved_us },
    largest: { resultBytes: row.largest_bytes, resultTokens: row.largest_tokens, upstreamUs: row.largest_us },
  };
}

export function toRow({ budget, scope, start_ms }: RowKey, endMs: number | null, account: Account): BudgetAccountRow {
  const { reserved, largest } = account;
  return {
    budget,
    scope,
    start_ms,
    end_ms: endMs,
    generation: account.generation,
    calls: account.calls,
    cost_micros: account.costMicros,
    result_bytes: account.resultBytes,
    result_tokens: account.resultTokens,
    upstream_us: account.upstreamUs,
    in_flight: account.inFlight,
    reserved_bytes: reserved.resultBytes,
    reserved_tokens: reserved.resultTokens,
    reserved_us: reserved.upstreamUs,
    largest_bytes: largest.resultBytes,
    largest_tokens: largest.resultTokens,
    largest_us: largest.upstreamUs,
  };
}

/** The largest range of `randomInt`. */
const maxGeneration = 2 ** 48 - 1;

/** A row for an account that is not there. A random generation is not that of a row which a reset has deleted. */
export function emptyRow(key: RowKey, endMs: number | null): BudgetAccountRow {
  return toRow(key, endMs, { ...emptyAccount, generation: randomInt(1, maxGeneration) });
}

/** The accounts whose slot has not ended. */
export async function listAccounts(
  db: Kysely<Tables>,
  nowMs: number,
  limit: number,
): Promise<readonly StoredAccount[]> {
  const rows = await db
    .selectFrom('budget_accounts')
    .selectAll()
    .where((eb) => eb.or([eb('end_ms', 'is', null), eb('end_ms', '>', nowMs)]))
    .orderBy('budget')
    .orderBy('calls', 'desc')
    .orderBy('scope')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    budget: row.budget,
    scope: row.scope,
    startMs: row.start_ms,
    endMs: row.end_ms,
    account: toAccount(row),
  }));
}

/** Deletes the accounts of a budget, or one of them. @returns how many */
export async function deleteAccounts(trx: Kysely<Tables>, budget: string, scope: string | undefined): Promise<number> {
  const all = trx.deleteFrom('budget_accounts').where('budget', '=', budget);
  const some = scope === undefined ? all : all.where('scope', '=', scope);
  return Number((await some.executeTakeFirstOrThrow()).numDeletedRows);
}

export async function deleteEnded(trx: Kysely<Tables>, endedBeforeMs: number): Promise<number> {
  const ended = trx.deleteFrom('budget_accounts').where('end_ms', '<', endedBeforeMs);
  const { numDeletedRows } = await ended.executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
