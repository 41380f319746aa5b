// Charges calls to budgets: finds the accounts of a call, reserves before it is sent, and settles when it has ended.
import type { Call } from '../call/call.js';
import type { Target } from '../call/target.js';
import type { ObservedMetric } from '../observability/metrics/metrics.js';
import type { UsageRules } from '../state/usage-rules.js';
import { CallCharging, type Charging, type ChargingDeps, type RuledCharge } from './charging.js';
import { createFillLevels } from './fill-levels.js';
import { createScopeNames } from './scope-names.js';
import { slotOf } from './windows.js';

type Rules = Pick<UsageRules, 'budgets' | 'priceOf'>;

export interface Budgets {
  /**
   * @param isApproved a person has approved the call: limits behind which a person decides do not count
   * @returns undefined for a call that no budget counts
   */
  open(rules: Rules, call: Call, target: Target, isApproved: boolean): Charging | undefined;
  readonly metric: ObservedMetric;
}

export type BudgetsDeps = Omit<ChargingDeps, 'levels'> & { readonly randomHex: (characters: number) => string };

export function createBudgets({ randomHex, ...deps }: BudgetsDeps): Budgets {
  const scopeOf = createScopeNames(randomHex);
  const levels = createFillLevels(deps);
  const charging = { ...deps, levels };
  return {
    open({ budgets, priceOf }, call, target, isApproved) {
      const nowMs = deps.clock.epochMs();
      const charges: RuledCharge[] = [];
      for (const rule of budgets) {
        const scope = rule.counts(target.names) ? scopeOf(rule.by, call, target) : undefined;
        if (scope === undefined || !rule.has(scope)) continue;
        const isFree = isApproved && rule.onExhausted === 'requireApproval';
        charges.push({
          rule,
          budget: rule.id,
          scope,
          ...slotOf(rule.window, nowMs),
          limits: isFree ? {} : rule.limits,
          costMicros: priceOf(target.names),
        });
      }
      return charges.length === 0 ? undefined : new CallCharging(charging, call, charges);
    },
    metric: levels.metric,
  };
}
