// How full budgets are, as calls of this process have found them: for the metric, and for one warning for each account.
import type { Correlation } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../common/log.js';
import type { ObservedMetric } from '../observability/metrics/metrics.js';
import { traceFields } from '../observability/tracing/trace-context.js';
import type { CompiledBudget } from '../state/usage-rules.js';
import { type Account, usedRatio } from './arithmetic.js';
import type { Charge } from './budget-store.js';

export interface FillLevels {
  note(charge: Charge & { readonly rule: CompiledBudget }, account: Account, correlation: Correlation): void;
  readonly metric: ObservedMetric;
}

interface Level {
  readonly endMs: number | null;
  /** By scope. Beyond `maxScopes` they are forgotten, and a warning may come again. */
  readonly scopes: Map<string, number>;
  ratio: number;
}

const maxScopes = 1000;

export function createFillLevels({ clock, log }: { readonly clock: Clock; readonly log: Log }): FillLevels {
  const levels = new Map<string, Level>();
  const levelOf = ({ budget, endMs }: Charge): Level => {
    const known = levels.get(budget);
    if (known !== undefined && known.endMs === endMs) return known;
    const level = { endMs, scopes: new Map<string, number>(), ratio: 0 };
    levels.set(budget, level);
    return level;
  };
  return {
    note(charge, account, correlation) {
      const { rule, budget, scope } = charge;
      const level = levelOf(charge);
      const ratio = usedRatio(account, rule.limits);
      const before = level.scopes.get(scope) ?? 0;
      if (level.scopes.size >= maxScopes && !level.scopes.has(scope)) level.scopes.clear();
      level.scopes.set(scope, ratio);
      level.ratio = Math.max(level.ratio, ratio);
      if (before >= rule.warnAt || ratio < rule.warnAt) return;
      log('warn', `budget "${budget}" is used to ${Math.floor(ratio * 100)} %`, {
        ...traceFields(correlation),
        budget,
      });
    },
    metric: {
      type: 'gauge',
      name: 'portico_budget_used_ratio',
      help: 'Used part of a budget in its current window, of its fullest account that calls of this process have found',
      labels: ['budget'],
      read: () =>
        [...levels].map(([budget, { endMs, ratio }]) => ({
          labels: { budget },
          value: endMs !== null && endMs <= clock.epochMs() ? 0 : ratio,
        })),
    },
  };
}
