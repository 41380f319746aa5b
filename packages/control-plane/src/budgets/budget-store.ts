// Where the accounts of budgets are kept. Several daemons may share them: each change is atomic.
import {
  type Account,
  type Amounts,
  chargeHeld,
  emptyAccount,
  type Limits,
  type Measure,
  type Reservation,
  reserve,
  settle,
} from './arithmetic.js';

export interface AccountKey {
  /** Id of the budget. */
  readonly budget: string;
  /** Name of the actor, client, …; empty for the account of all. */
  readonly scope: string;
  /** Start of its slot, milliseconds since the Unix epoch. */
  readonly startMs: number;
  /** Its text (`accountName`), if it was made before. */
  readonly name?: string;
}

/** One call on one account. */
export interface Charge extends AccountKey {
  /** The end of the slot; null for none. */
  readonly endMs: number | null;
  readonly limits: Limits;
  /** Charged, also behind the limits. */
  readonly isUnlimited?: boolean;
  readonly costMicros: number;
}

/** The end of a call on one account. */
export interface Settlement extends AccountKey {
  readonly reservation: Reservation;
  readonly took: Amounts | 'not_sent';
}

export type Charged =
  /** Accounts and reservations in the order of the charges. */
  | { readonly isReserved: true; readonly accounts: readonly Account[]; readonly reservations: readonly Reservation[] }
  /** The charge that was refused; none of them was made. */
  | {
      readonly isReserved: false;
      readonly charge: Charge;
      readonly account: Account;
      readonly measure: Measure;
      readonly isHeld: boolean;
    };

export interface StoredAccount extends AccountKey {
  readonly endMs: number | null;
  readonly account: Account;
}

export interface BudgetStore {
  /** Makes all charges of a call, or none. They are kept when the process is killed. */
  reserve(charges: readonly Charge[]): Charged | Promise<Charged>;
  /** The accounts afterwards; undefined for one that was reset in between. */
  settle(settlements: readonly Settlement[]): SettledAccounts | Promise<SettledAccounts>;
  /** The accounts of these keys, empty ones included. */
  read(keys: readonly AccountKey[]): readonly Account[] | Promise<readonly Account[]>;
  /** Accounts whose slot has not ended, the given number at most. */
  list(nowMs: number, limit: number): Promise<readonly StoredAccount[]>;
  /** Empties the accounts of a budget, or one of them. @returns how many */
  reset(budget: string, scope: string | undefined): Promise<number>;
  /** Charges what calls of ended processes hold. Called at the start, and when another daemon has ended. */
  recover(): Promise<void>;
  /** Removes accounts whose slot ended before this time. @returns how many */
  purge(endedBeforeMs: number): Promise<number>;
  /** Gives back what was charged in advance. Called at the end of the process, when no call is in flight. */
  release(): Promise<void>;
}

export type SettledAccounts = readonly (Account | undefined)[];

/** The charges of a call on accounts as they are: what every store computes. */
export function chargeAll(charges: readonly Charge[], accounts: readonly Account[]): Charged {
  const after: Account[] = [];
  const reservations: Reservation[] = [];
  for (const [at, charge] of charges.entries()) {
    const account = accounts[at] ?? emptyAccount;
    const reserving = reserve(account, charge.isUnlimited === true ? {} : charge.limits, charge.costMicros);
    if (!reserving.isReserved) {
      const { measure, isHeld } = reserving;
      return { isReserved: false, charge, account, measure, isHeld };
    }
    after.push(reserving.account);
    reservations.push(reserving.reservation);
  }
  return { isReserved: true, accounts: after, reservations };
}

/** One text for each account. */
export function accountName({ budget, scope, startMs, name }: AccountKey): string {
  return name ?? `${budget} ${startMs} ${scope}`; // ids of budgets have no space
}

/** Keeps the accounts of budgets in memory: they begin empty, and are lost with the process. */
export function createMemoryBudgetStore(): BudgetStore {
  let generation = 0;
  const kept = new Map<string, { readonly key: AccountKey; readonly endMs: number | null; account: Account }>();
  const accountOf = (key: AccountKey) => kept.get(accountName(key))?.account ?? emptyAccount;
  return {
    reserve(charges) {
      const toCharge = (charge: Charge) =>
        kept.get(accountName(charge))?.account ?? { ...emptyAccount, generation: ++generation };
      const charged = chargeAll(charges, charges.map(toCharge));
      if (!charged.isReserved) return charged;
      for (const [at, charge] of charges.entries()) {
        const { budget, scope, startMs, endMs } = charge;
        const account = charged.accounts[at] ?? emptyAccount;
        kept.set(accountName(charge), { key: { budget, scope, startMs }, endMs, account });
      }
      return charged;
    },
    settle(settlements) {
      return settlements.map((settlement) => {
        const found = kept.get(accountName(settlement));
        if (found?.account.generation !== settlement.reservation.generation) return undefined;
        found.account = settle(found.account, settlement.reservation, settlement.took);
        return found.account;
      });
    },
    read: (keys) => keys.map(accountOf),
    list: async (nowMs, limit) =>
      [...kept.values()]
        .filter(({ endMs }) => endMs === null || endMs > nowMs)
        .slice(0, limit)
        .map(({ key, endMs, account }) => ({ ...key, endMs, account })),
    async reset(budget, scope) {
      const found = [...kept].filter(
        ([, { key }]) => key.budget === budget && (scope === undefined || key.scope === scope),
      );
      for (const [text] of found) kept.delete(text);
      return found.length;
    },
    async recover() {
      for (const each of kept.values()) each.account = chargeHeld(each.account);
    },
    async purge(endedBeforeMs) {
      const ended = [...kept].filter(([, { endMs }]) => endMs !== null && endMs < endedBeforeMs);
      for (const [text] of ended) kept.delete(text);
      return ended.length;
    },
    release: async () => {},
  };
}
