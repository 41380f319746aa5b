// The accounts of budgets that several daemons share: each charge is a transaction of the database, committed before its
// call is sent. Rows are locked in the order of the charges.
import {
  type Account,
  type BudgetStore,
  type Charge,
  type Charged,
  chargeAll,
  emptyAccount,
  type Settlement,
  settleAccount,
} from '@portico/control-plane';
import type { Kysely } from 'kysely';
import type { StateDatabase } from '../database.js';
import type { BudgetAccountRow, Tables } from '../tables.js';
import {
  type AccountStatements,
  deleteAccounts,
  deleteEnded,
  emptyRow,
  listAccounts,
  prepareAccountStatements,
  toAccount,
  toRow,
  toRowKey,
} from './account-rows.js';

export function createSharedAccounts(database: StateDatabase): BudgetStore {
  const { reads, write } = database;
  const statements = prepareAccountStatements(database);
  return {
    reserve: (charges) => write((trx) => reserveIn(statements, trx, charges), { isLazy: true }),
    settle: (settlements) => write((trx) => settleIn(statements, trx, settlements), { isLazy: true }),
    read: (keys) =>
      Promise.all(
        keys.map(async (key) => {
          const [row] = await statements.read(reads, toRowKey(key));
          return row === undefined ? emptyAccount : toAccount(row);
        }),
      ),
    list: (nowMs, limit) => listAccounts(reads, nowMs, limit),
    reset: (budget, scope) => write((trx) => deleteAccounts(trx, budget, scope)),
    async recover() {}, // other daemons may hold it
    purge: (endedBeforeMs) => write((trx) => deleteEnded(trx, endedBeforeMs), { isLazy: true }),
    async release() {}, // nothing is charged in advance
  };
}

async function reserveIn(
  statements: AccountStatements,
  trx: Kysely<Tables>,
  charges: readonly Charge[],
): Promise<Charged> {
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

function rowsOf(charges: readonly Charge[], accounts: readonly Account[]): readonly BudgetAccountRow[] {
  return charges.map((charge, at) => toRow(toRowKey(charge), charge.endMs, accounts[at] ?? emptyAccount));
}

async function settleIn(
  statements: AccountStatements,
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

function settled(row: BudgetAccountRow, { reservation, took }: Settlement): Account {
  return settleAccount(toAccount(row), reservation, took);
}
