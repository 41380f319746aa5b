// The refusal of a call whose budget is used up, as its caller gets it.
import { type BudgetMeasure, nothingSent } from '@portico/contracts';
import { CallFailure } from '../call/call.js';
import { type Account, type Measure, usedOf } from './arithmetic.js';
import type { Charge } from './budget-store.js';

export interface Refused {
  readonly charge: Charge;
  readonly account: Account;
  readonly measure: Measure;
  readonly isHeld: boolean;
}

/** As answers name it. */
export const shownMeasure: Readonly<Record<Measure, BudgetMeasure>> = {
  calls: 'calls',
  costMicros: 'cost',
  resultBytes: 'result_bytes',
  resultTokens: 'result_tokens',
  upstreamUs: 'upstream_secs',
};

const units: Readonly<Record<Measure, string>> = {
  calls: 'calls',
  costMicros: 'of cost',
  resultBytes: 'bytes of results',
  resultTokens: 'tokens of results (estimated)',
  upstreamUs: 'seconds at servers',
};

const millionths = 1_000_000;

/** As configuration and answers write an amount: seconds, and units of money. */
export function shownAmount(measure: Measure, amount: number): number {
  return measure === 'costMicros' || measure === 'upstreamUs' ? amount / millionths : amount;
}

export function ruleOfBudget(id: string): string {
  return `budget:${id}`;
}

export function budgetFailure({ charge, account, measure, isHeld }: Refused, nowMs: number): CallFailure {
  const { budget, scope, endMs, limits } = charge;
  const limit = shownAmount(measure, limits[measure] ?? 0);
  const used = shownAmount(measure, usedOf(account, measure));
  const resetsAt = endMs === null ? null : new Date(endMs).toISOString();
  const whose = scope === '' ? '' : ` of ${JSON.stringify(scope)}`;
  const until = resetsAt === null ? 'it does not end by itself' : `it is empty again at ${resetsAt}`;
  const message = isHeld
    ? `budget "${budget}"${whose}: the rest of ${limit} ${units[measure]} is held by ${account.inFlight} calls in flight; repeat it when one of them has ended`
    : `budget "${budget}"${whose} is used up: ${used} of ${limit} ${units[measure]}; ${until}`;
  return new CallFailure('POLICY_DENIED', message, nothingSent, {
    rule: ruleOfBudget(budget),
    reason: 'budget_exhausted',
    hint: isHeld
      ? 'repeat it when other calls have ended, or make fewer calls at once'
      : 'do not repeat this call: report what is done and what is left, and ask the user how to go on',
    retryable: isHeld,
    budget: { id: budget, measure: shownMeasure[measure], used, limit, resets_at: resetsAt },
    ...(isHeld
      ? { retryAfterSecs: 1 }
      : endMs === null
        ? {}
        : { retryAfterSecs: Math.max(1, Math.ceil((endMs - nowMs) / 1000)) }),
  });
}
