// Charges calls to budgets: finds the accounts of a call, reserves before it is sent, and settles when it has ended.
import type { Call } from '../call/call.js';
import type { Target } from '../call/target.js';
import type { ObservedMetric } from '../observability/metrics/metrics.js';
import type { CompiledBudget, UsageRules } from '../state/usage-rules.js';
import { accountName } from './budget-store.js';
import { CallCharging, type Charging, type ChargingDeps, type RuledCharge } from './charging.js';
import { createFillLevels } from './fill-levels.js';
import { createScopeNames } from './scope-names.js';
import { createSlots, type Slot } from './windows.js';

type Rules = Pick<UsageRules, 'budgets' | 'priceOf'>;

export interface Budgets {
  /**
   * @param isApproved a person has approved the call: limits behind which a person decides do not count
   * @returns undefined for a call that no budget counts
   */
  open(rules: Rules, call: Call, target: Target, isApproved: boolean): Charging | undefined;
  readonly metric: ObservedMetric;
  /** Gives back what accounts have in advance. Called when no call is in flight. */
  close(): Promise<void>;
}

export type BudgetsDeps = Omit<ChargingDeps, 'levels'> & { readonly randomHex: (characters: number) => string };

export function createBudgets({ randomHex, ...deps }: BudgetsDeps): Budgets {
  const scopeOf = createScopeNames(randomHex);
  const levels = createFillLevels(deps);
  const slotOf = createSlots();
  const chargeOf = createCharges();
  const charging = { ...deps, levels };
  return {
    open({ budgets, priceOf }, call, target, isApproved) {
      const nowMs = deps.clock.epochMs();
      const charges: RuledCharge[] = [];
      let price: number | undefined;
      for (const rule of budgets) {
        const scope = rule.counts(target.names) ? scopeOf(rule.by, call, target) : undefined;
        if (scope === undefined || !rule.has(scope)) continue;
        price ??= priceOf(target.names);
        const isUnlimited = isApproved && rule.onExhausted === 'requireApproval';
        charges.push(chargeOf(rule, scope, slotOf(rule.window, nowMs), { isUnlimited, costMicros: price }));
      }
      return charges.length === 0 ? undefined : new CallCharging(charging, call, charges);
    },
    metric: levels.metric,
    close: () =>
      deps.store.release().catch((error: unknown) => {
        deps.log('error', 'accounts of budgets keep what was charged in advance', { error });
      }),
  };
}

type Terms = Required<Pick<RuledCharge, 'isUnlimited' | 'costMicros'>>;

/** Charges that are kept of one budget. */
const maxCharges = 1000;

/** Makes the charge of a call on an account. Calls in a row have the same one. */
function createCharges(): (rule: CompiledBudget, scope: string, slot: Slot, terms: Terms) => RuledCharge {
  const known = new WeakMap<CompiledBudget, Map<string, RuledCharge>>();
  return (rule, scope, { startMs, endMs }, { isUnlimited, costMicros }) => {
    const charges = known.get(rule) ?? new Map<string, RuledCharge>();
    const last = charges.get(scope);
    if (last?.startMs === startMs && last.isUnlimited === isUnlimited && last.costMicros === costMicros) return last;
    const { id: budget, limits } = rule;
    const name = accountName({ budget, scope, startMs });
    const charge = { rule, name, budget, scope, startMs, endMs, limits, isUnlimited, costMicros };
    if (charges.size >= maxCharges) charges.clear();
    known.set(rule, charges.set(scope, charge));
    return charge;
  };
}
