// From the budgets of the file to those in force.
import { type Issue, joinPath } from '../issues.js';
import type { RawBudget } from './budgets-schema.js';
import type { Budget, BudgetLimits } from './config.js';

/** Units of one second, and of one unit of a price. */
const millionths = 1_000_000;

export function toBudget(raw: RawBudget): Budget {
  const { scope, upstreamSecs, cost } = raw;
  const limits: BudgetLimits = {
    ...(raw.calls === undefined ? {} : { calls: raw.calls }),
    ...(raw.resultBytes === undefined ? {} : { resultBytes: raw.resultBytes }),
    ...(raw.resultTokens === undefined ? {} : { resultTokens: raw.resultTokens }),
    ...(upstreamSecs === undefined ? {} : { upstreamUs: upstreamSecs * millionths }),
    ...(cost === undefined ? {} : { costMicros: toMicros(cost) }),
  };
  return {
    id: raw.id,
    by: scope?.by ?? 'global',
    match: scope?.match ?? null,
    only: scope?.only ?? null,
    window: raw.window ?? 'day',
    limits,
    warnAt: raw.warnAt ?? 0.8,
    onExhausted: raw.onExhausted ?? 'deny',
  };
}

/** Prices by id or pattern, in millionths. */
export function toPrices(raw: Readonly<Record<string, number>> | null | undefined): ReadonlyMap<string, number> {
  return new Map(Object.entries(raw ?? {}).map(([match, price]) => [match, toMicros(price)]));
}

function toMicros(amount: number): number {
  return Math.round(amount * millionths);
}

export function budgetIssues(budgets: readonly RawBudget[] | null | undefined): Issue[] {
  const seen = new Set<string>();
  return (budgets ?? []).flatMap((raw, index): Issue[] => {
    const issues: Issue[] = [];
    if (seen.has(raw.id))
      issues.push({ path: joinPath(['budgets', index, 'id']), message: `"${raw.id}" is there twice` });
    seen.add(raw.id);
    if (Object.keys(toBudget(raw).limits).length === 0) {
      const message = 'needs a limit: calls, resultBytes, resultTokens, upstreamSecs or cost';
      issues.push({ path: joinPath(['budgets', index]), message });
    }
    if (raw.scope?.only !== undefined && (raw.scope.by ?? 'global') === 'global') {
      const message = 'needs "by" beside it, such as actor: the account of all calls has no name';
      issues.push({ path: joinPath(['budgets', index, 'scope', 'only']), message });
    }
    return issues;
  });
}
