// The accounts of budgets of a process that has its database for itself. It counts in memory; a row is ahead of its account
// by a lease, so that most calls need no write. Before a call is sent, and before its answer leaves, the row covers what
// they charge. A kill leaves the rest of the lease charged: no charge is lost, and nothing is used twice.
import {
  type Account,
  type AccountKey,
  accountName,
  type BudgetStore,
  type Charge,
  type Charged,
  chargeAll,
  chargeHeld,
  emptyAccount,
  isCovered,
  type Limits,
  leaseOf,
  type SettledAccounts,
  type Settlement,
  type StoredAccount,
  settleAccount,
} from '@portico/control-plane';
import type { StateDatabase } from '../database.js';
import {
  type AccountStatements,
  deleteAccounts,
  deleteEnded,
  listAccounts,
  prepareAccountStatements,
  toAccount,
  toRow,
  toRowKey,
} from './account-rows.js';

/** Accounts in memory; beyond them, those that no call holds are left to their rows. */
const maxKept = 10_000;
const droppedAtOnce = 1000;

interface Kept {
  readonly key: AccountKey;
  readonly endMs: number | null;
  account: Account;
  /** As the last call had them. */
  limits: Limits;
  /** The row, as it is committed; undefined while another one is written. */
  row: Account | undefined;
  /** The row that was written last. */
  written: Account | undefined;
  /** The account that the row has without a lease. */
  copied: Account | undefined;
  /** A write that has not begun: it will cover what is charged until then. */
  queued: Promise<void> | undefined;
  /** Its row is deleted by a transaction that has not ended. */
  isLeaving: boolean;
}

export class LeasedAccounts implements BudgetStore {
  readonly #database: StateDatabase;
  readonly #statements: AccountStatements;
  readonly #all = new Map<string, Kept>();
  #isDropping = false;
  #lastGeneration = 0;

  /** @param database whose statements run at once */
  constructor(database: StateDatabase) {
    this.#database = database;
    this.#statements = prepareAccountStatements(database);
  }

  reserve(charges: readonly Charge[]): Charged | Promise<Charged> {
    const kept = charges.map((charge) => this.#keptOf(charge));
    const charged = chargeAll(
      charges,
      kept.map(({ account }) => account),
    );
    if (!charged.isReserved) return charged;
    for (const [at, each] of kept.entries()) each.account = charged.accounts[at] ?? each.account;
    const covered = this.#coverAll(kept);
    return covered === undefined
      ? charged
      : covered.then(
          () => charged,
          (error: unknown) => {
            giveBack(kept, charged);
            throw error;
          },
        );
  }

  settle(settlements: readonly Settlement[]): SettledAccounts | Promise<SettledAccounts> {
    const kept = settlements.map((settlement) => {
      const found = this.#all.get(accountName(settlement));
      if (found?.account.generation !== settlement.reservation.generation) return undefined; // it was reset
      found.account = settleAccount(found.account, settlement.reservation, settlement.took);
      return found;
    });
    const accounts = kept.map((each) => each?.account);
    const covered = this.#coverAll(kept.filter((each) => each !== undefined));
    return covered === undefined ? accounts : covered.then(() => accounts);
  }

  read(keys: readonly AccountKey[]): readonly Account[] {
    return keys.map((key) => this.#all.get(accountName(key))?.account ?? this.#rowOf(key) ?? emptyAccount);
  }

  async list(nowMs: number, limit: number): Promise<readonly StoredAccount[]> {
    const rows = await listAccounts(this.#database.reads, nowMs, limit);
    return rows.map((row) => ({
      ...row,
      account: this.#all.get(accountName(row))?.account ?? chargeHeld(row.account),
    }));
  }

  reset(budget: string, scope: string | undefined): Promise<number> {
    const isMeant = ({ key }: Kept) => key.budget === budget && (scope === undefined || key.scope === scope);
    return this.#delete(isMeant, (trx) => deleteAccounts(trx, budget, scope));
  }

  async recover(): Promise<void> {} // an account is recovered when it is read

  purge(endedBeforeMs: number): Promise<number> {
    const isMeant = ({ endMs }: Kept) => endMs !== null && endMs < endedBeforeMs;
    return this.#delete(isMeant, (trx) => deleteEnded(trx, endedBeforeMs), { isLazy: true });
  }

  release(): Promise<void> {
    return this.#copy([...this.#all.values()].filter(({ written }) => written !== undefined));
  }

  #keptOf(charge: Charge): Kept {
    const name = accountName(charge);
    const known = this.#all.get(name);
    if (known !== undefined) {
      known.limits = charge.limits;
      return known;
    }
    const { budget, scope, startMs, endMs, limits } = charge;
    const row = this.#rowOf(charge);
    const key = { budget, scope, startMs };
    this.#lastGeneration += 1; // no reservation outlives the process
    const account = { ...(row ?? emptyAccount), generation: this.#lastGeneration };
    const kept: Kept = {
      key,
      endMs,
      account,
      limits,
      row,
      written: row,
      copied: row && account,
      queued: undefined,
      isLeaving: false,
    };
    this.#all.set(name, kept);
    if (this.#all.size > maxKept && !this.#isDropping) void this.#dropIdle();
    return kept;
  }

  /** Calls that a process before this one had in flight are charged. */
  #rowOf(key: AccountKey): Account | undefined {
    const rows = this.#statements.read(this.#database.reads, toRowKey(key));
    if (rows instanceof Promise) throw new Error('a statement of this database does not run at once');
    const [row] = rows;
    return row && chargeHeld(toAccount(row));
  }

  /** Undefined if the rows cover their accounts already. */
  #coverAll(kept: readonly Kept[]): Promise<unknown> | undefined {
    let writes: Promise<void>[] | undefined;
    for (const each of kept) {
      const { row, account, limits } = each;
      if (row !== undefined && isCovered(account, row, limits)) continue;
      writes ??= [];
      writes.push(this.#queueLease(each));
    }
    return writes && Promise.all(writes);
  }

  #queueLease(kept: Kept): Promise<void> {
    if (kept.queued !== undefined) return kept.queued;
    const queued = this.#write(kept, leaseOf).finally(() => {
      if (kept.queued === queued) kept.queued = undefined; // it could not begin
    });
    kept.queued = queued;
    return queued;
  }

  /** Writes the row of an account as it is when its turn has come. */
  async #write(kept: Kept, toRowAccount: (account: Account, limits: Limits) => Account): Promise<void> {
    let row: Account | undefined;
    const put = () => {
      if (toRowAccount === leaseOf) kept.queued = undefined;
      if (kept.isLeaving || this.#all.get(accountName(kept.key)) !== kept) return; // it was reset
      row = toRowAccount(kept.account, kept.limits);
      kept.row = undefined;
      kept.written = row;
      kept.copied = toRowAccount === withoutLease ? kept.account : undefined;
      this.#statements.put(this.#database.reads, toRow(toRowKey(kept.key), kept.endMs, row));
    };
    await this.#database.write(put, { isLazy: true, atOnce: put });
    if (kept.written === row) kept.row = row;
  }

  /** Writes accounts without a lease. */
  async #copy(some: readonly Kept[]): Promise<void> {
    const other = some.filter(({ account, copied }) => copied !== account);
    await Promise.all(other.map((kept) => this.#write(kept, withoutLease)));
  }

  async #dropIdle(): Promise<void> {
    this.#isDropping = true;
    const idle = [...this.#all].filter(([, { account }]) => account.inFlight === 0).slice(0, droppedAtOnce);
    await this.#copy(idle.map(([, kept]) => kept)).catch(() => {}); // an account without a copy stays
    for (const [name, { account, copied, row }] of idle)
      if (row !== undefined && account === copied && account.inFlight === 0) this.#all.delete(name);
    this.#isDropping = false;
  }

  /** Deletes rows, and forgets their accounts when that is committed: if it fails, they count on. */
  async #delete(
    isMeant: (kept: Kept) => boolean,
    deleteRows: (trx: Transaction) => Promise<number>,
    options?: { readonly isLazy: boolean },
  ): Promise<number> {
    const leaving = new Set<Kept>();
    try {
      const deleted = await this.#database.write(async (trx) => {
        for (const kept of this.#all.values()) {
          if (!isMeant(kept)) continue;
          kept.isLeaving = true;
          leaving.add(kept);
        }
        return deleteRows(trx);
      }, options);
      for (const { key } of leaving) this.#all.delete(accountName(key));
      return deleted;
    } catch (error) {
      for (const kept of leaving) {
        kept.isLeaving = false;
        kept.row = undefined; // the next charge writes it
      }
      throw error;
    }
  }
}

type Transaction = Parameters<Parameters<StateDatabase['write']>[0]>[0];

const withoutLease = (account: Account): Account => chargeHeld(account);

/** Takes the charges of a call back that could not be written, and is not sent. */
function giveBack(kept: readonly Kept[], { reservations }: Extract<Charged, { readonly isReserved: true }>): void {
  for (const [at, each] of kept.entries()) {
    const reservation = reservations[at];
    if (reservation !== undefined) each.account = settleAccount(each.account, reservation, 'not_sent');
  }
}
