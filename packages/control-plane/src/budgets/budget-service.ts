// Budgets as operators see and empty them.
import {
  type Budget,
  type BudgetAccount,
  type BudgetMeasure,
  type BudgetStanding,
  PorticoError,
} from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { AuditLog } from '../audit/audit-log.js';
import { type ConfigAuthor, configChangeDraft } from '../audit/change-draft.js';
import type { PlaneState } from '../state/plane-state.js';
import { type Limits, type Measure, measures, usedOf, usedRatio } from './arithmetic.js';
import { shownAmount, shownMeasure } from './budget-failure.js';
import type { BudgetStore, StoredAccount } from './budget-store.js';
import { slotOf } from './windows.js';

export interface BudgetService {
  /** The budgets of the configuration with their accounts, at most 1,000 of them. */
  list(): Promise<BudgetList>;
  /**
   * Empties the accounts of a budget, or one of them, and records it.
   * @returns how many there were
   * @throws PorticoError RESOURCE_NOT_FOUND for a budget that is not configured
   */
  reset(id: string, scope: string | undefined, by: ConfigAuthor): Promise<number>;
}

export interface BudgetList {
  readonly token_estimate: string;
  readonly budgets: readonly BudgetStanding[];
  readonly is_complete: boolean;
}

export interface BudgetServiceDeps {
  readonly store: BudgetStore;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

const maxAccounts = 1000;
const tokenEstimate = 'a quarter of the bytes of the results';

export function createBudgetService(
  { store, audit, clock }: BudgetServiceDeps,
  state: () => PlaneState,
): BudgetService {
  return {
    async list() {
      const { config, policy } = state();
      const found = await store.list(clock.epochMs(), maxAccounts + 1);
      const kept = found.slice(0, maxAccounts);
      const { redactText } = policy.redactor;
      return {
        token_estimate: tokenEstimate,
        budgets: config.budgets.map((budget) => standingOf(budget, kept, redactText)),
        is_complete: found.length <= maxAccounts,
      };
    },
    async reset(id, scope, by) {
      const { config } = state();
      if (!config.budgets.some((budget) => budget.id === id)) throw unknownBudget(id, config.budgets);
      const open = await audit.begin();
      const reset = await store.reset(id, scope).catch(async (error: unknown) => {
        await open.end();
        throw error;
      });
      const details = { budget: id, ...(scope === undefined ? {} : { scope }), accounts: reset };
      await open.end(
        configChangeDraft(state(), clock.epochMs(), by, { action: 'budget_reset', details, changes: null }),
      );
      return reset;
    },
  };
}

function unknownBudget(id: string, budgets: readonly Budget[]): PorticoError {
  const known = budgets.map((budget) => `"${budget.id}"`).join(', ');
  const there = known === '' ? 'the configuration has none' : `there are ${known}`;
  return new PorticoError('RESOURCE_NOT_FOUND', `no budget "${id}"; ${there}`);
}

function standingOf(
  budget: Budget,
  accounts: readonly StoredAccount[],
  redactText: (text: string) => string,
): BudgetStanding {
  const { id, by, match, only, window, limits, warnAt, onExhausted } = budget;
  const own = accounts
    .filter((each) => each.budget === id && isOfWindow(budget, each))
    .map((each) => accountOf(each, limits, redactText))
    .sort((a, b) => b.used_ratio - a.used_ratio || (a.scope < b.scope ? -1 : 1));
  return {
    id,
    by,
    match,
    only,
    window,
    limits: shown(limits, (measure) => limits[measure]),
    warn_at: warnAt,
    on_exhausted: onExhausted,
    accounts: own,
  };
}

/** Accounts of a window that the budget had in an earlier configuration do not count. */
function isOfWindow({ window }: Budget, { startMs, endMs }: StoredAccount): boolean {
  const slot = slotOf(window, startMs);
  return slot.startMs === startMs && slot.endMs === endMs;
}

function accountOf(
  { scope, startMs, endMs, account }: StoredAccount,
  limits: Limits,
  redactText: (text: string) => string,
): BudgetAccount {
  return {
    scope: redactText(scope),
    since: endMs === null ? null : new Date(startMs).toISOString(),
    resets_at: endMs === null ? null : new Date(endMs).toISOString(),
    in_flight: account.inFlight,
    used: shown(limits, (measure) => usedOf(account, measure)),
    used_ratio: Math.round(usedRatio(account, limits) * 10_000) / 10_000,
  };
}

/** The amounts of limited measures, as answers write them. */
function shown(limits: Limits, amountOf: (measure: Measure) => number | undefined) {
  const found = measures.flatMap((measure): [BudgetMeasure, number][] => {
    const amount = limits[measure] === undefined ? undefined : amountOf(measure);
    return amount === undefined ? [] : [[shownMeasure[measure], shownAmount(measure, amount)]];
  });
  return Object.fromEntries(found) as Partial<Record<BudgetMeasure, number>>;
}
