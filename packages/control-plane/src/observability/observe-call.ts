// Watches one execution from outside, for traces and metrics. It changes nothing of what becomes of the call.
import type { Redactor } from '@portico/policy-engine';
import type { Clock } from '@portico/upstream-pool';
import type { Call, Outcome } from '../call/call.js';
import type { Target } from '../call/target.js';
import type { PlaneState } from '../state/plane-state.js';
import type { CountExecution } from './metrics/count-executions.js';
import { beginExecution, type ExecutionSpan } from './tracing/execution-span.js';
import type { Steps, Tracing } from './tracing/steps.js';

export interface ObserveDeps extends Tracing {
  readonly clock: Clock;
  readonly count: CountExecution;
}

export interface ObservedCall {
  /** The call to run: the one given, as part of its span. */
  readonly call: Call;
  readonly steps: Steps;
  /** What its id stands for, once that is found. */
  readonly target: Target | undefined;
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
  return new Observed(on, given, policy.redactorOf(given.caller.role), approvalId);
}

class Observed implements ObservedCall {
  readonly #on: ObserveDeps;
  readonly #redactor: Redactor;
  readonly #span: ExecutionSpan;
  readonly #startedAtMs: number;
  #target: Target | undefined;

  constructor(on: ObserveDeps, given: Call, redactor: Redactor, approvalId: string | null) {
    this.#on = on;
    this.#redactor = redactor;
    this.#startedAtMs = on.clock.now();
    this.#span = beginExecution(on, redactor, given, approvalId);
  }

  get call(): Call {
    return this.#span.call;
  }

  get steps(): Steps {
    return this.#span.steps;
  }

  get target(): Target | undefined {
    return this.#target;
  }

  resolved(target: Target): Target {
    this.#target = target;
    this.#span.resolved(target);
    return target;
  }

  ended(outcome: Outcome): Outcome {
    this.#span.ended(outcome);
    const durationMs = this.#on.clock.now() - this.#startedAtMs;
    const { kind } = this.#span.call;
    this.#on.count({ kind, target: this.#target, outcome, durationMs }, this.#redactor);
    return outcome;
  }
}
