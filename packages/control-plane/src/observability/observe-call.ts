// Watches one execution from outside, for traces and metrics. It changes nothing of what becomes of the call.
import type { Clock } from '@portico/upstream-pool';
import type { Call, Outcome } from '../call/call.js';
import type { Target } from '../call/target.js';
import type { PlaneState } from '../state/plane-state.js';
import type { CountExecution } from './metrics/count-executions.js';
import { beginExecution } from './tracing/execution-span.js';
import type { Steps, Tracing } from './tracing/steps.js';

export interface ObserveDeps extends Tracing {
  readonly clock: Clock;
  readonly count: CountExecution;
}

export interface ObservedCall {
  /** The call to run: the one given, as part of its span. */
  readonly call: Call;
  readonly steps: Steps;
  resolved(target: Target): Target;
  /** Call it once, at the end. */
  ended(outcome: Outcome): Outcome;
}

/** @param approvalId the ticket whose call this is */
export function observeCall(
  on: ObserveDeps,
  { policy }: PlaneState,
  given: Call,
  approvalId: string | null,
): ObservedCall {
  const startedAtMs = on.clock.now();
  const span = beginExecution(on, policy.redactorOf(given.caller.role), given, approvalId);
  let target: Target | undefined;
  return {
    call: span.call,
    steps: span.steps,
    resolved(found) {
      target = found;
      span.resolved(found);
      return found;
    },
    ended(outcome) {
      span.ended(outcome);
      const durationMs = on.clock.now() - startedAtMs;
      on.count({ kind: given.kind, target, outcome, durationMs }, policy.redactorOf(given.caller.role));
      return outcome;
    },
  };
}
