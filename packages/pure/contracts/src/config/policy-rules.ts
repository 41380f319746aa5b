// The lists of rules that the policy, a profile and a role have. Shapes only.

/** Glob patterns over ids, in which `*` matches any run of characters. Each list may be empty. */
export interface PolicyRules {
  /** Empty allows everything. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly requireApproval: readonly string[];
  /** Rules on trial, which decide nothing; absent for none. They have none of their own. */
  readonly shadow?: PolicyRules;
}
