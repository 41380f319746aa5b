// Budgets in words, and how far an account of one is used. Only computations.
import {
  type BudgetAccount,
  type BudgetMeasure,
  type BudgetStanding,
  budgetMeasures,
  plural,
} from '@portico/contracts';
import { listed } from './format.js';

/** How far a limit is used, or the worst limit of an account; `near` from the part at which the log has a warning. */
export type UseState = 'within' | 'near' | 'used_up';

export interface MeasureUse {
  readonly measure: BudgetMeasure;
  /** In the unit of the measure. */
  readonly used: number;
  readonly limit: number;
  /** Used part of the limit; above 1 for what the last call took more than there was. */
  readonly ratio: number;
  readonly state: UseState;
}

/** One for each limit of the budget, in the order of the measures. */
export function usesOf(
  { limits, warn_at }: BudgetStanding,
  { used }: Pick<BudgetAccount, 'used'>,
): readonly MeasureUse[] {
  return budgetMeasures.flatMap((measure): MeasureUse[] => {
    const limit = limits[measure];
    if (limit === undefined) return [];
    const amount = used[measure] ?? 0;
    const ratio = amount / limit;
    return [
      { measure, used: amount, limit, ratio, state: ratio >= 1 ? 'used_up' : ratio >= warn_at ? 'near' : 'within' },
    ];
  });
}

/** The worst of its limits. */
export function stateOf(budget: BudgetStanding, account: Pick<BudgetAccount, 'used'>): UseState {
  const states = usesOf(budget, account).map(({ state }) => state);
  return states.includes('used_up') ? 'used_up' : states.includes('near') ? 'near' : 'within';
}

export function isUsedUp(budget: BudgetStanding): boolean {
  return budget.accounts.some((account) => stateOf(budget, account) === 'used_up');
}

/** For one, and for several. */
const nouns: Readonly<Record<BudgetMeasure, readonly [one: string, many: string]>> = {
  calls: ['call', 'calls'],
  result_bytes: ['byte of results', 'bytes of results'],
  result_tokens: ['token of results (estimated)', 'tokens of results (estimated)'],
  upstream_secs: ['second at servers', 'seconds at servers'],
  cost: ['of cost', 'of cost'],
};

/** `151,204 of 200,000 tokens of results (estimated)` */
export function textOfUse({ measure, used, limit }: MeasureUse): string {
  return `${formatAmount(used)} of ${limitText(measure, limit)}`;
}

function limitText(measure: BudgetMeasure, limit: number): string {
  const [one, many] = nouns[measure];
  return `${formatAmount(limit)} ${limit === 1 ? one : many}`;
}

/** With at most six digits behind the point, the smallest cost of a limit: `0.005`, `1,200`. */
function formatAmount(amount: number): string {
  return amount.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

const windows: Readonly<Record<BudgetStanding['window'], string>> = {
  minute: 'a minute',
  hour: 'an hour',
  day: 'a day',
  week: 'a week',
  month: 'a month',
  total: 'in total, until it is emptied',
};

const scopes: Readonly<Record<BudgetStanding['by'], string>> = {
  global: 'all calls together',
  actor: 'each actor',
  client: 'each client',
  role: 'each role',
  session: 'each session',
  trace: 'each trace',
  work_item: 'each work item',
  server: 'each server',
};

/** `Up to 300 calls and 50 of cost a day, for each actor named night-*, counting maps.*. Further calls are refused.` */
export function budgetSentence({ limits, window, by, only, match, on_exhausted }: BudgetStanding): string {
  const amounts = budgetMeasures.flatMap((measure) => {
    const limit = limits[measure];
    return limit === undefined ? [] : [limitText(measure, limit)];
  });
  const whose = `${scopes[by]}${only === null ? '' : ` named ${only}`}`;
  const counted = match === null ? '' : `, counting calls of ${match}`;
  const then = on_exhausted === 'deny' ? 'Further calls are refused.' : 'A person decides on each further call.';
  return `Up to ${listed(amounts)} ${windows[window]}, for ${whose}${counted}. ${then}`;
}

/** Name of an account: that of the actor, client, …; `all calls` for the account of all. */
export function accountName({ scope }: Pick<BudgetAccount, 'scope'>): string {
  return scope === '' ? 'all calls' : scope;
}

/** `3 budgets, 1 used up` */
export function budgetsSummary(budgets: readonly BudgetStanding[]): string {
  const usedUp = budgets.filter(isUsedUp).length;
  return `${plural(budgets.length, 'budget')}, ${usedUp === 0 ? 'none' : usedUp} used up`;
}
