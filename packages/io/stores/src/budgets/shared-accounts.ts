// The accounts of budgets that several daemons share: each charge is a transaction of the database, committed before its
// call is sent. Rows are locked in the order of the charges.
import {
  type Account,
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
import type { StateDatabase } from '../database.js';
import { isLeftBehind } from '../owners.js';
import type { BudgetAccountRow, Tables } from '../tables.js';
import { type HoldStatements, prepareHoldStatements, toHeld } from './account-holds.js';
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
  const { reads, write, owner } = database;
  const statements = prepareAccountStatements(database);
  const holds = prepareHoldStatements(database);
  return {
    reserve: (charges) => write((trx) => reserveIn(statements, holds, trx, charges), { isLazy: true }),
    settle: (settlements) => write((trx) => settleIn(statements, holds, trx, settlements), { isLazy: true }),
    read: (keys) =>
      Promise.all(
        keys.map(async (key) => {
          const [row] = await statements.read(reads, toRowKey(key));
          return row === undefined ? emptyAccount : toAccount(row);
        }),
      ),
    list: (nowMs, limit) => listAccounts(reads, nowMs, limit),
    reset: (budget, scope) =>
      write(async (trx) => {
        const holds = trx.deleteFrom('budget_holds').where('budget', '=', budget);
        await (scope === undefined ? holds : holds.where('scope', '=', scope)).execute();
        return deleteAccounts(trx, budget, scope);
      }),
    recover: () => write((trx) => recoverIn(statements, trx, owner)),
    purge: (endedBeforeMs) =>
      write(
        async (trx) => {
          const deleted = await deleteEnded(trx, endedBeforeMs);
          await trx.deleteFrom('budget_holds').where('owner', '=', owner).where('in_flight', '=', 0).execute();
          return deleted;
        },
        { isLazy: true },
      ),
    async release() {}, // nothing is charged in advance
  };
}

async function reserveIn(
  statements: AccountStatements,
  holds: HoldStatements,
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
  for (const [at, charge] of charges.entries()) await holds.take(trx, charge, charged.reservations[at]);
  return charged;
}

function rowsOf(charges: readonly Charge[], accounts: readonly Account[]): readonly BudgetAccountRow[] {
  return charges.map((charge, at) => toRow(toRowKey(charge), charge.endMs, accounts[at] ?? emptyAccount));
}

async function settleIn(
  statements: AccountStatements,
  holds: HoldStatements,
  trx: Kysely<Tables>,
  settlements: readonly Settlement[],
): Promise<readonly (Account | undefined)[]> {
  const accounts = [];
  for (const settlement of settlements) {
    const [row] = await statements.find(trx, toRowKey(settlement));
    if (row?.generation !== settlement.reservation.generation) {
      accounts.push(undefined); // it was reset
      continue;
    }
    const account = settled(row, settlement, await holds.giveBack(trx, settlement, settlement.reservation));
    await statements.put(trx, toRow(row, row.end_ms, account));
    accounts.push(account);
  }
  return accounts;
}

/** @param isHeld false if another daemon has taken this one for ended, and charged what its calls held */
function settled(row: BudgetAccountRow, { reservation, took }: Settlement, isHeld: boolean): Account {
  const account = toAccount(row);
  if (isHeld) return settleAccount(account, reservation, took);
  const { reserved: amounts } = emptyAccount;
  return settleAccount({ ...account, inFlight: account.inFlight + 1 }, { ...reservation, amounts }, took);
}

/** Charges what calls of ended daemons hold: they may have been sent. */
async function recoverIn(statements: AccountStatements, trx: Kysely<Tables>, owner: string): Promise<void> {
  const ended = await trx
    .selectFrom('budget_holds')
    .selectAll()
    .where(isLeftBehind(owner))
    .orderBy('budget')
    .orderBy('scope')
    .orderBy('start_ms')
    .forUpdate()
    .execute();
  for (const held of ended) {
    const [row] = await statements.find(trx, held);
    const part = toHeld(held);
    if (row !== undefined) await statements.put(trx, toRow(row, row.end_ms, chargeHeld(toAccount(row), part)));
  }
  if (ended.length > 0) await trx.deleteFrom('budget_holds').where(isLeftBehind(owner)).execute();
}
