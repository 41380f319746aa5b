// The accounts of budgets in the state database. A charge is committed before its call is sent, so that it outlives a
// kill of the process; a power loss may take the last moments back.
import {
  type Account,
  type AccountKey,
  type BudgetStore,
  type Charge,
  type Charged,
  chargeAll,
  chargeHeld,
  emptyAccount,
  type Settlement,
  settleAccount,
} from '@portico/control-plane';
import type { Kysely } from 'kysely';
import type { StateDatabase } from './database.js';
import { type Prepared, prepare } from './prepared.js';
import type { BudgetAccountRow, Tables } from './tables.js';

const keyColumns = ['budget', 'scope', 'start_ms'] as const;

type RowKey = Pick<BudgetAccountRow, (typeof keyColumns)[number]>;

interface Statements {
  /** For a database with several writers, the row stays locked until the transaction ends. */
  readonly find: Prepared<RowKey, BudgetAccountRow>;
  readonly put: Prepared<BudgetAccountRow, unknown>;
  readonly add: Prepared<BudgetAccountRow, unknown>;
}

/** Creates the store of the accounts of budgets. */
export function createBudgetStore(database: StateDatabase): BudgetStore {
  const { reads, write } = database;
  const isShared = database.now === undefined;
  const statements = prepareStatements(database);
  return {
    reserve: (charges) =>
      write((trx) => reserveIn(statements, trx, charges), {
        isLazy: true,
        atOnce: isShared ? undefined : () => reserveAtOnce(statements, reads, charges),
      }),
    settle: (settlements) =>
      write((trx) => settleIn(statements, trx, settlements), {
        isLazy: true,
        atOnce: isShared ? undefined : () => settleAtOnce(statements, reads, settlements),
      }),
    read: (keys) =>
      Promise.all(
        keys.map(async (key) => {
          const row = await readRow(reads, key);
          return row === undefined ? emptyAccount : toAccount(row);
        }),
      ),
    async list(nowMs, limit) {
      const rows = await reads
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
    },
    reset: (budget, scope) =>
      write(async (trx) => {
        const all = trx.deleteFrom('budget_accounts').where('budget', '=', budget);
        const { numDeletedRows } = await (scope === undefined
          ? all
          : all.where('scope', '=', scope)
        ).executeTakeFirstOrThrow();
        return Number(numDeletedRows);
      }),
    async recover() {
      if (isShared) return; // other daemons may hold it
      await write(async (trx) => {
        const held = await trx.selectFrom('budget_accounts').selectAll().where('in_flight', '>', 0).execute();
        for (const row of held) await statements.put(trx, toRow(row, row.end_ms, chargeHeld(toAccount(row))));
      });
    },
    purge: (endedBeforeMs) =>
      write(
        async (trx) => {
          const ended = trx.deleteFrom('budget_accounts').where('end_ms', '<', endedBeforeMs);
          return Number((await ended.executeTakeFirstOrThrow()).numDeletedRows);
        },
        { isLazy: true },
      ),
  };
}

async function reserveIn(statements: Statements, trx: Kysely<Tables>, charges: readonly Charge[]): Promise<Charged> {
  const accounts: Account[] = [];
  for (const charge of charges) {
    await statements.add(trx, emptyRow(toRowKey(charge), charge.endMs)); // a row that is not there cannot be locked
    const [row] = await statements.find(trx, toRowKey(charge));
    accounts.push(row === undefined ? emptyAccount : toAccount(row));
  }
  const charged = chargeAll(charges, accounts);
  if (!charged.isReserved) return charged;
  for (const row of rowsOf(charges, charged.accounts)) await statements.put(trx, row);
  return charged;
}

function reserveAtOnce(statements: Statements, db: Kysely<Tables>, charges: readonly Charge[]): Charged {
  const charged = chargeAll(
    charges,
    charges.map((charge) => {
      const [row] = rowsAtOnce(statements.find(db, toRowKey(charge)));
      return row === undefined ? emptyAccount : toAccount(row);
    }),
  );
  if (charged.isReserved) for (const row of rowsOf(charges, charged.accounts)) statements.put(db, row);
  return charged;
}

function rowsOf(charges: readonly Charge[], accounts: readonly Account[]): readonly BudgetAccountRow[] {
  return charges.map((charge, at) => toRow(toRowKey(charge), charge.endMs, accounts[at] ?? emptyAccount));
}

async function settleIn(
  statements: Statements,
  trx: Kysely<Tables>,
  settlements: readonly Settlement[],
): Promise<readonly (Account | undefined)[]> {
  const accounts = [];
  for (const settlement of settlements) {
    const [row] = await statements.find(trx, toRowKey(settlement));
    const account = row && settled(row, settlement);
    if (row !== undefined && account !== undefined) await statements.put(trx, toRow(row, row.end_ms, account));
    accounts.push(account);
  }
  return accounts;
}

function settleAtOnce(
  statements: Statements,
  db: Kysely<Tables>,
  settlements: readonly Settlement[],
): readonly (Account | undefined)[] {
  return settlements.map((settlement) => {
    const [row] = rowsAtOnce(statements.find(db, toRowKey(settlement)));
    if (row === undefined) return undefined;
    const account = settled(row, settlement);
    statements.put(db, toRow(row, row.end_ms, account));
    return account;
  });
}

function settled(row: BudgetAccountRow, { reservation, took }: Settlement): Account {
  return settleAccount(toAccount(row), reservation, took);
}

/** For a database whose statements run at once. */
function rowsAtOnce<T>(rows: readonly T[] | Promise<readonly T[]>): readonly T[] {
  if (rows instanceof Promise) throw new Error('a statement of this database does not run at once');
  return rows;
}

function prepareStatements(database: StateDatabase): Statements {
  const isShared = database.now === undefined;
  return {
    find: prepare(database, (on, gap) => {
      const rows = on
        .selectFrom('budget_accounts')
        .selectAll()
        .where('budget', '=', gap('budget'))
        .where('scope', '=', gap('scope'))
        .where('start_ms', '=', gap('start_ms'));
      return isShared ? rows.forUpdate() : rows;
    }),
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

function gapsOf(gap: <Name extends keyof BudgetAccountRow>(name: Name) => BudgetAccountRow[Name]): BudgetAccountRow {
  const columns = [...keyColumns, 'end_ms', ...numberColumns] as const;
  return Object.fromEntries(columns.map((column) => [column, gap(column)])) as unknown as BudgetAccountRow; // all of them
}

function readRow(db: Kysely<Tables>, key: AccountKey): Promise<BudgetAccountRow | undefined> {
  const { budget, scope, startMs } = key;
  return db
    .selectFrom('budget_accounts')
    .selectAll()
    .where('budget', '=', budget)
    .where('scope', '=', scope)
    .where('start_ms', '=', startMs)
    .executeTakeFirst();
}

function toRowKey({ budget, scope, startMs }: AccountKey): RowKey {
  return { budget, scope, start_ms: startMs };
}

function toAccount(row: Omit<BudgetAccountRow, keyof RowKey | 'end_ms'>): Account {
  return {
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

function toRow({ budget, scope, start_ms }: RowKey, endMs: number | null, account: Account): BudgetAccountRow {
  const { reserved, largest } = account;
  return {
    budget,
    scope,
    start_ms,
    end_ms: endMs,
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

function emptyRow(key: RowKey, endMs: number | null): BudgetAccountRow {
  return toRow(key, endMs, emptyAccount);
}
