// The rules that the policy, a profile and a role have. Shapes only.

/** Glob patterns over ids, in which `*` matches any run of characters. Each list may be empty. */
export interface PolicyRules {
  /** Empty allows everything. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly requireApproval: readonly string[];
  /** Rules on arguments; absent for none. */
  readonly rules?: readonly ArgumentRule[];
  /** Rules on trial, which decide nothing; absent for none. They have none of their own. */
  readonly shadow?: PolicyRules;
}

/** Approvals that answer later calls as well. */
export interface GrantRules {
  readonly maxTtlSecs: number;
  readonly maxUses: number;
  /** Glob patterns over ids; null for everything but tools that declare themselves destructive. */
  readonly mayOffer: readonly string[] | null;
}

/** The effects of a rule on arguments, as the configuration file names them. There is none that allows a call. */
export const argumentRuleEffects = ['deny', 'requireApproval'] as const;

/** A rule on the arguments of calls. It only tightens. */
export interface ArgumentRule {
  /** Records name it `rule:<id>`. Unique in a configuration. */
  readonly id: string;
  /** A glob pattern over ids. */
  readonly match: string;
  /** Condition in the Common Expression Language: the rule applies if it is true, or has no value. */
  readonly when: string;
  readonly effect: (typeof argumentRuleEffects)[number];
  /** For the caller of a refused call; null for none. */
  readonly reason: string | null;
  /** Whether it is on trial: recorded, and never enforced. */
  readonly shadow: boolean;
}
