// How often each rule stopped or held a call since the start, and when last. Calls that no rule stops never come by here.

export interface RuleHit {
  readonly hits: number;
  /** Milliseconds since the Unix epoch. */
  readonly lastMs: number;
  /** The newest of the calls; absent if it is not known. */
  readonly last?: HitCall | undefined;
}

export interface HitCall {
  /** As it may be shown: what is secret in the address of a resource is redacted. */
  readonly capability: string;
  readonly traceId: string;
}

export interface RuleHits {
  /** Notes a call. @param rule and @param shadow as records name them; undefined for none */
  note(rule: string | undefined, shadow: string | undefined, epochMs: number, call?: HitCall): void;
  /** Hits of a rule in force, by its name in records. */
  of(rule: string): RuleHit | undefined;
  /** Hits of a shadow rule. */
  ofShadow(rule: string): RuleHit | undefined;
  /** Calls that shadow rules would have stopped or held, by what they would have done. */
  shadowTotals(): Readonly<Record<ShadowEffect, number>>;
}

/** `rule` is of rules on arguments, whichever effect they have. */
export const shadowEffects = ['deny', 'not_allowed', 'require_approval', 'rule'] as const;
export type ShadowEffect = (typeof shadowEffects)[number];

/** Rules that are kept; beyond them the one that was first hit longest ago is forgotten. Configurations change, counts stay. */
const maxRules = 10_000;

export function createRuleHits(limit = maxRules): RuleHits {
  const inForce = new Map<string, RuleHit>();
  const onTrial = new Map<string, RuleHit>();
  const totals: Record<ShadowEffect, number> = { deny: 0, not_allowed: 0, require_approval: 0, rule: 0 };

  const add = (kept: Map<string, RuleHit>, rule: string, hit: Omit<RuleHit, 'hits'>) => {
    const hits = (kept.get(rule)?.hits ?? 0) + 1;
    const [first] = kept.size >= limit && hits === 1 ? kept.keys() : [];
    if (first !== undefined) kept.delete(first);
    kept.set(rule, { hits, ...hit });
  };

  return {
    note(rule, shadow, lastMs, last) {
      const hit = last === undefined ? { lastMs } : { lastMs, last };
      if (rule !== undefined) add(inForce, rule, hit);
      if (shadow === undefined) return;
      add(onTrial, shadow, hit);
      const effect = shadowEffects.find((known) => shadow === known || shadow.startsWith(`${known}:`));
      if (effect !== undefined) totals[effect] += 1;
    },
    of: (rule) => inForce.get(rule),
    ofShadow: (rule) => onTrial.get(rule),
    shadowTotals: () => totals,
  };
}
