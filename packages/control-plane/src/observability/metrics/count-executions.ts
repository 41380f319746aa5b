// From a call and its end to what it counts as. Labels are bounded: callers cannot make new ones.
import type { Redactor } from '@portico/policy-engine';
import type { CallKind, Outcome } from '../../call/call.js';
import type { Target } from '../../call/target.js';
import type { PlaneMetrics } from './metrics.js';

export interface EndedCall {
  readonly kind: CallKind;
  /** Absent where the id stood for nothing that the caller sees. */
  readonly target: Target | undefined;
  readonly outcome: Outcome;
  readonly durationMs: number;
}

export type CountExecution = (call: EndedCall, redactor: Redactor) => void;

const maxCapabilities = 2000;

/** Beyond `limit` capabilities those that were not seen before are counted together, as `other`. */
export function createExecutionCounter(metrics: PlaneMetrics, limit = maxCapabilities): CountExecution {
  const known = new Set<string>();
  const labelOf = (target: Target | undefined, { redactText }: Redactor): string => {
    if (target?.entry === undefined) return '';
    const { entry } = target;
    if (!known.has(entry)) {
      if (known.size >= limit) return 'other';
      known.add(entry);
    }
    return target.kind === 'resource' ? redactText(entry) : entry;
  };
  return ({ kind, target, outcome, durationMs }, redactor) =>
    metrics.executed({
      server: target?.server ?? '',
      capability: labelOf(target, redactor),
      kind,
      code: outcome.envelope.error?.code ?? 'OK',
      isReplay: outcome.kind === 'replayed',
      durationMs,
    });
}
