// What an explanation is made of. Everything is passed in: no clock, no store, no configuration.

/** What is known of the calls of one trace. */
export interface Evidence {
  /** Null where the records name none. */
  readonly traceId: string | null;
  /** Audit records of the trace, oldest first, in the wire's spelling. What is no record of a call is passed over. */
  readonly records: readonly unknown[];
  /** The id of a record or an approval: explains that call of the trace. Without it, the worst one, the latest of equals. */
  readonly about?: string | undefined;
  /** Tickets of the trace, in the wire's spelling. */
  readonly tickets?: readonly unknown[] | undefined;
  /** Of a replay: the record of the execution whose answer it got. */
  readonly origin?: unknown;
  /** What is in force now; without it nothing is said of now. */
  readonly now?: InForce | undefined;
  /** Whether the cited records are in their places in the chain; not known by default. */
  readonly verified?: boolean | 'unknown' | undefined;
  /** In words. */
  readonly verification?: string | undefined;
  /** What is known to be missing, in words: records that were removed by age, more records than are read. */
  readonly missing?: readonly string[] | undefined;
}

export type PolicyDecisionKind = 'allow' | 'deny' | 'not_allowed' | 'require_approval';

/** What concerns the call in the configuration of now. */
export interface InForce {
  readonly policyDigest: string;
  readonly decision: PolicyDecisionKind;
  /** `<effect>:<pattern>` of the rule that decides now; undefined where none does. */
  readonly rule?: string | undefined;
  /** Rules that all have to go for the call to be allowed, each with the lists that have it; undefined where not worked out. */
  readonly lift?: readonly RuleInForce[] | undefined;
  /** Lists in which the thing is missing, as paths of the configuration: `policy.allow`. */
  readonly notAllowedBy?: readonly string[] | undefined;
  /** Whether the servers list the thing; undefined where that is not known. */
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
