// One call on the accounts of the budgets that count it.
import type { BudgetMeasure } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { BudgetsLeft, Call, CallFailure } from '../call/call.js';
import { storeFailure } from '../call/failures.js';
import type { Log } from '../common/log.js';
import type { CompiledBudget } from '../state/usage-rules.js';
import { type Account, type Amounts, emptyAccount, measures, type Reservation, usedOf } from './arithmetic.js';
import { budgetFailure, type Refused, ruleOfBudget, shownAmount, shownMeasure } from './budget-failure.js';
import {
  type BudgetStore,
  type Charge,
  type Charged,
  chargeAll,
  type SettledAccounts,
  type Settlement,
} from './budget-store.js';
import type { FillLevels } from './fill-levels.js';

export interface Charging {
  /** Whether its result is measured. */
  readonly countsResult: boolean;
  /** Whether a person may have to decide on it. */
  readonly mayAsk: boolean;
  /** The rule of a budget that is used up and behind which a person decides. Rejects with CallFailure INTERNAL_ERROR. */
  ruleToAsk(): Promise<string | undefined>;
  /** The refusal of the call as accounts are now; nothing is reserved. Rejects with CallFailure INTERNAL_ERROR. */
  check(): Promise<CallFailure | undefined>;
  /** Reserves it. @returns the failure of a call that is not to be sent */
  reserve(): CallFailure | undefined | Promise<CallFailure | undefined>;
  /** Charges what it took. A promise resolves when that is kept. */
  settle(took: Amounts | 'not_sent'): void | Promise<void>;
  /** The rest of the limits, by the accounts as this call has left them; undefined before it is reserved. */
  readonly left: BudgetsLeft | undefined;
}

export interface ChargingDeps {
  readonly store: BudgetStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly levels: FillLevels;
}

export interface RuledCharge extends Charge {
  readonly rule: CompiledBudget;
  readonly name: string;
}

export class CallCharging implements Charging {
  readonly countsResult: boolean;
  readonly mayAsk: boolean;
  readonly #deps: ChargingDeps;
  readonly #call: Call;
  readonly #charges: readonly RuledCharge[];
  #reservations: readonly Reservation[] = [];
  #accounts: SettledAccounts | undefined;

  constructor(deps: ChargingDeps, call: Call, charges: readonly RuledCharge[]) {
    this.#deps = deps;
    this.#call = call;
    this.#charges = charges;
    this.countsResult = charges.some(({ rule }) => rule.countsResult);
    this.mayAsk = charges.some(({ rule }) => rule.onExhausted === 'requireApproval');
  }

  async ruleToAsk(): Promise<string | undefined> {
    const refused = await this.#refusalNow('requireApproval');
    return refused === undefined || refused.isHeld ? undefined : ruleOfBudget(refused.charge.budget);
  }

  async check(): Promise<CallFailure | undefined> {
    const refused = await this.#refusalNow('deny');
    return refused && this.#failure(refused);
  }

  get left(): BudgetsLeft | undefined {
    const accounts = this.#accounts;
    if (accounts === undefined) return undefined;
    return () => new Map(this.#charges.map(({ rule }, at) => [rule.id, leftOf(rule, accounts[at] ?? emptyAccount)]));
  }

  reserve(): CallFailure | undefined | Promise<CallFailure | undefined> {
    try {
      const charged = this.#deps.store.reserve(this.#charges);
      return charged instanceof Promise
        ? charged.then((done) => this.#reserved(done), storeFailure)
        : this.#reserved(charged);
    } catch (error) {
      return storeFailure(error);
    }
  }

  settle(took: Amounts | 'not_sent'): void | Promise<void> {
    const settlements: Settlement[] = [];
    for (let at = 0; at < this.#reservations.length; at += 1) {
      const [charge, reservation] = [this.#charges[at], this.#reservations[at]];
      if (charge === undefined || reservation === undefined) continue;
      const { budget, scope, startMs, name } = charge;
      settlements.push({ budget, scope, startMs, name, reservation, took });
    }
    // The call has run: what it reserved stays charged.
    const uncharged = (error: unknown) =>
      this.#deps.log('error', 'what a call took could not be charged to its budgets', { error });
    try {
      const accounts = this.#deps.store.settle(settlements);
      return accounts instanceof Promise ? accounts.then(this.#noteAll, uncharged) : this.#noteAll(accounts);
    } catch (error) {
      uncharged(error);
    }
  }

  async #refusalNow(effect: CompiledBudget['onExhausted']): Promise<Refused | undefined> {
    const charges = this.#charges.filter(({ rule }) => rule.onExhausted === effect);
    if (charges.length === 0) return undefined;
    let accounts: readonly Account[];
    try {
      accounts = await this.#deps.store.read(charges);
    } catch (error) {
      throw storeFailure(error);
    }
    const charged = chargeAll(charges, accounts);
    return charged.isReserved ? undefined : charged;
  }

  #failure(refused: Refused): CallFailure {
    return budgetFailure(refused, this.#deps.clock.epochMs());
  }

  #reserved(charged: Charged): CallFailure | undefined {
    if (!charged.isReserved) return this.#failure(charged);
    this.#reservations = charged.reservations;
    this.#noteAll(charged.accounts);
    return undefined;
  }

  readonly #noteAll = (accounts: SettledAccounts): void => {
    this.#accounts = accounts;
    for (let at = 0; at < accounts.length; at += 1) {
      const [charge, account] = [this.#charges[at], accounts[at]];
      if (charge !== undefined && account !== undefined)
        this.#deps.levels.note(charge, account, this.#call.correlation);
    }
  };
}

function leftOf({ limits }: CompiledBudget, account: Account): Partial<Record<BudgetMeasure, number>> {
  const left: Partial<Record<BudgetMeasure, number>> = {};
  for (const measure of measures) {
    const limit = limits[measure];
    if (limit === undefined) continue;
    left[shownMeasure[measure]] = shownAmount(measure, Math.max(0, limit - usedOf(account, measure)));
  }
  return left;
}
