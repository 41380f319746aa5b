// The labels of an ended call: for the metrics, and for people who look at the service itself. Labels are bounded:
// callers cannot make new ones.
import { type Activity, isQuestion } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { Call, Outcome } from '../../call/call.js';
import type { Target } from '../../call/target.js';
import type { PlaneState } from '../../state/plane-state.js';
import { type CallSeries, createCallSeries, gathered, longestUs, stepMs } from './call-series.js';
import type { PlaneMetrics } from './metrics.js';
import { createRuleHits, type HitCall, type RuleHits } from './rule-hits.js';

export interface EndedCall {
  readonly state: Pick<PlaneState, 'policy'>;
  readonly call: Pick<Call, 'kind' | 'id' | 'caller' | 'correlation'>;
  /** Absent if the id names nothing that the caller sees. */
  readonly target: Target | undefined;
  /** Its tool says that it failed. */
  readonly isToolError?: boolean;
  /** The rule that decided, and what shadow rules would have made of it, as records name them. */
  readonly rule?: string | undefined;
  readonly shadow?: string | undefined;
  /** For an approved call: its rules were counted when it was requested. */
  readonly entry?: { readonly kind: 'request' | 'ticket' };
}

export type CountExecution = (ended: EndedCall, outcome: Outcome, durationMs: number) => void;

export interface ExecutionCounter {
  readonly count: CountExecution;
  /** A list or detail of the catalog was asked for. */
  catalogAsked(isUnchanged: boolean): void;
  /** A few counts since the start. */
  activity(): Omit<Activity, 'approvals_pending'>;
  /** The same over time. */
  readonly series: Pick<CallSeries, 'read'>;
  /** How often rules decided. */
  readonly ruleHits: Omit<RuleHits, 'note'>;
}

const maxCapabilities = 2000;
const unknownSource = Object.freeze({ channel: undefined });

/** Beyond `limit` capabilities those that were not seen before are counted together, as `other`. */
export function createExecutionCounter(
  metrics: PlaneMetrics,
  clock: Pick<Clock, 'now' | 'epochMs'>,
  limit = maxCapabilities,
): ExecutionCounter {
  const startedMs = clock.now();
  const counts = { catalog_requests: 0, not_modified: 0, executions: 0, executions_failed: 0, replays: 0 };
  const known = new Set<string>();
  const series = createCallSeries(clock);
  const { ended } = series;
  const ruleHits = createRuleHits();

  function count(of: EndedCall, outcome: Outcome, durationMs: number): void {
    const { state, call, target, isToolError, rule, shadow } = of;
    const { kind, caller } = call;
    const { envelope } = outcome;
    // An interim answer ends no execution: the one that follows it does, and is counted.
    if (envelope.ok && envelope.retry.upstream_execution_state !== 'completed' && isQuestion(envelope.data)) return;
    const code = outcome.envelope.error?.code ?? (isToolError === true ? 'TOOL_ERROR' : 'OK');
    const isReplay = outcome.kind === 'replayed';
    if (isReplay) counts.replays += 1;
    else counts.executions += 1;
    if (!isReplay && code !== 'OK') counts.executions_failed += 1;
    // The series takes many calls in together: here is the way of every call.
    ended.step[ended.count] = clock.epochMs() / stepMs;
    ended.durationUs[ended.count] = Math.min(durationMs * 1000, longestUs);
    ended.hasFailed[ended.count] = code === 'OK' || code === 'APPROVAL_PENDING' ? 0 : 1;
    ended.count += 1;
    if (ended.count === gathered) series.takeIn();
    if ((rule !== undefined || shadow !== undefined) && of.entry?.kind !== 'ticket')
      ruleHits.note(rule, shadow, clock.epochMs(), hitOf(of));
    let capability = target?.entry ?? '';
    if (capability !== '' && !known.has(capability)) {
      if (known.size < limit) known.add(capability);
      else capability = 'other';
    }
    // The URI of a resource may hold a secret.
    if (kind === 'resource' && capability !== 'other')
      capability = state.policy.redactorOf(caller.role).redactText(capability);
    const { channel } = caller.source ?? unknownSource;
    metrics.executed({ server: target?.server ?? '', capability, kind, code, channel, isReplay, durationMs });
  }

  /** Only of calls that a rule ended or would have. */
  function hitOf({ state, call: { kind, id, caller, correlation }, target }: EndedCall): HitCall {
    const capability = target?.entry ?? id;
    const shown = kind === 'resource' ? state.policy.redactorOf(caller.role).redactText(capability) : capability;
    return { capability: shown, traceId: correlation.traceId };
  }

  return {
    count,
    series,
    ruleHits,
    catalogAsked(isUnchanged) {
      counts.catalog_requests += 1;
      if (isUnchanged) counts.not_modified += 1;
    },
    activity: () => ({ uptime_secs: Math.floor((clock.now() - startedMs) / 1000), ...counts }),
  };
}
