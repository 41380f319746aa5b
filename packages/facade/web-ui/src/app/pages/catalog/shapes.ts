// The data that the catalog has about a capability besides its definition. Shapes only.
import type { Answers } from '@portico/client';

export type Usage = Answers['getAuditUsage']['capabilities'][number];

export interface DayUsage {
  readonly byId: ReadonlyMap<string, Usage>;
  /** From when on is counted, RFC 3339. */
  readonly since: string;
}

export type Verdict = Answers['listPolicyVerdicts']['verdicts'][number];
export type Effect = Verdict['effect'];

export interface Verdicts {
  readonly counts: Answers['listPolicyVerdicts']['counts'];
  readonly byId: ReadonlyMap<string, Verdict>;
  /** Verdicts of tools, in the order of the servers. */
  readonly tools: readonly Verdict[];
}
