// The input of an explanation. Everything is passed in: no clock, no store, no configuration.

/** The evidence about the calls of one trace. */
export interface Evidence {
  /** Null if the records name none. */
  readonly traceId: string | null;
  /**
   * Audit records of the trace, oldest first, in the wire's spelling. Other values than records of a call are ignored.
   */
  readonly records: readonly unknown[];
  /** The id of a record or an approval: explains that call of the trace. Without it, the worst one, the latest of equals. */
  readonly about?: string | undefined;
  /** Tickets of the trace, in the wire's spelling. */
  readonly tickets?: readonly unknown[] | undefined;
  /** The record of the execution whose answer a replay got. */
  readonly origin?: unknown;
  /** The configuration in force now; without it the explanation says nothing about now. */
  readonly now?: InForce | undefined;
  /** Whether the cited records are in their places in the chain; not known by default. */
  readonly verified?: boolean | 'unknown' | undefined;
  /** In words. */
  readonly verification?: string | undefined;
  /** Known gaps in the evidence, in words: records that were removed by age, more records than are read. */
  readonly missing?: readonly string[] | undefined;
}

export type PolicyDecisionKind = 'allow' | 'deny' | 'not_allowed' | 'require_approval';

/** The part of the current configuration that concerns the call. */
export interface InForce {
  readonly policyDigest: string;
  readonly decision: PolicyDecisionKind;
  /** `<effect>:<pattern>` of the rule that decides now; undefined if none does. */
  readonly rule?: string | undefined;
  /** Rules on arguments that cover the thing now, as `rule:<id>`: whether they apply is not known. */
  readonly dependsOn?: readonly string[] | undefined;
  /** Rules that all have to go for the call to be allowed, each with the lists that have it; undefined if not worked out. */
  readonly lift?: readonly RuleInForce[] | undefined;
  /** Lists in which the thing is missing, as paths of the configuration: `policy.allow`. */
  readonly notAllowedBy?: readonly string[] | undefined;
  /** Whether the servers list the thing; undefined if that is not known. */
  readonly exists?: boolean | undefined;
  readonly toolTimeoutMs: number;
  readonly approvalTimeoutSecs: number;
  readonly queuedCalls: number;
  /** State of the circuit of the server: `closed`, `open` or `half_open`. */
  readonly circuit?: string | undefined;
  readonly cooldownMs?: number | undefined;
  readonly failureThreshold?: number | undefined;
}

export interface RuleInForce {
  readonly pattern: string;
  /** Paths in the configuration: `policy.deny`. */
  readonly paths: readonly string[];
}
