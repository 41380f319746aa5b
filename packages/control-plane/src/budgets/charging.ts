// One call on the accounts of the budgets that count it.
import type { Clock } from '@portico/upstream-pool';
import type { Call, CallFailure } from '../call/call.js';
import { storeFailure } from '../call/failures.js';
import type { Log } from '../common/log.js';
import type { CompiledBudget } from '../state/usage-rules.js';
import type { Amounts, Reservation } from './arithmetic.js';
import { budgetFailure, type Refused, ruleOfBudget } from './budget-failure.js';
import { type BudgetStore, type Charge, chargeAll } from './budget-store.js';
import type { FillLevels } from './fill-levels.js';

export interface Charging {
  /** Whether its result is measured. */
  readonly countsResult: boolean;
  /** The rule of a budget that is used up and behind which a person decides. Rejects with CallFailure INTERNAL_ERROR. */
  ruleToAsk(): Promise<string | undefined>;
  /** The refusal of the call as accounts are now; nothing is reserved. Rejects with CallFailure INTERNAL_ERROR. */
  check(): Promise<CallFailure | undefined>;
  /** Reserves it. @returns the failure of a call that is not to be sent */
  reserve(): Promise<CallFailure | undefined>;
  /** Charges what it took. Resolves once that is kept. */
  settle(took: Amounts | 'not_sent'): Promise<void>;
}

export interface ChargingDeps {
  readonly store: BudgetStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly levels: FillLevels;
}

export interface RuledCharge extends Charge {
  readonly rule: CompiledBudget;
}

export class CallCharging implements Charging {
  readonly countsResult: boolean;
  readonly #deps: ChargingDeps;
  readonly #call: Call;
  readonly #charges: readonly RuledCharge[];
  #reservations: readonly Reservation[] = [];

  constructor(deps: ChargingDeps, call: Call, charges: readonly RuledCharge[]) {
    this.#deps = deps;
    this.#call = call;
    this.#charges = charges;
    this.countsResult = charges.some(({ rule }) => rule.countsResult);
  }

  async ruleToAsk(): Promise<string | undefined> {
    const refused = await this.#refusalNow('requireApproval');
    return refused === undefined || refused.isHeld ? undefined : ruleOfBudget(refused.charge.budget);
  }

  async check(): Promise<CallFailure | undefined> {
    const refused = await this.#refusalNow('deny');
    return refused && this.#failure(refused);
  }

  async reserve(): Promise<CallFailure | undefined> {
    const charged = await this.#deps.store.reserve(this.#charges).catch(storeFailure);
    if (charged instanceof Error) return charged;
    if (!charged.isReserved) return this.#failure(charged);
    this.#reservations = charged.reservations;
    for (const [at, account] of charged.accounts.entries()) this.#note(at, account);
    return undefined;
  }

  async settle(took: Amounts | 'not_sent'): Promise<void> {
    const settlements = this.#charges.flatMap((charge, at) => {
      const reservation = this.#reservations[at];
      return reservation === undefined ? [] : [{ ...charge, reservation, took }];
    });
    try {
      const accounts = await this.#deps.store.settle(settlements);
      for (const [at, account] of accounts.entries()) if (account !== undefined) this.#note(at, account);
    } catch (error) {
      // The call has run: what it reserved stays charged.
      this.#deps.log('error', 'what a call took could not be charged to its budgets', { error });
    }
  }

  async #refusalNow(effect: CompiledBudget['onExhausted']): Promise<Refused | undefined> {
    const charges = this.#charges.filter(({ rule }) => rule.onExhausted === effect);
    if (charges.length === 0) return undefined;
    const accounts = await this.#deps.store
      .read(charges)
      .catch((error: unknown) => Promise.reject(storeFailure(error)));
    const charged = chargeAll(charges, accounts);
    return charged.isReserved ? undefined : charged;
  }

  #failure(refused: Refused): CallFailure {
    return budgetFailure(refused, this.#deps.clock.epochMs());
  }

  #note(at: number, account: Parameters<FillLevels['note']>[1]): void {
    const charge = this.#charges[at];
    if (charge !== undefined) this.#deps.levels.note(charge, account, this.#call.correlation);
  }
}
