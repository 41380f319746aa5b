// The circuit breaker of one server. It counts consecutive failures, and lets one probe at a time through when it cools.

export interface BreakerSettings {
  readonly failureThreshold: number;
  readonly cooldownMs: number;
  readonly consecutiveSuccesses: number;
}

export type BreakerState =
  | { readonly status: 'closed'; readonly failures: number }
  | { readonly status: 'open'; readonly failures: number; readonly openedAt: number }
  | { readonly status: 'half_open'; readonly failures: number; readonly successes: number; readonly probing: boolean };

/** What a call that was let through must report, once: later reports are ignored. */
export interface Admission {
  /** The server answered. */
  succeed(): void;
  /** Time-out, lost connection or failed connect. */
  fail(): void;
  /** The outcome says nothing about the server: cancelled, or refused for the request's own fault. */
  release(): void;
}

export type AdmissionDecision =
  | { readonly admitted: true; readonly admission: Admission }
  | { readonly admitted: false; readonly failures: number; readonly remainingMs: number };

export interface Breaker {
  /** The state now; an open circuit whose cooldown has passed is half open. */
  state(): BreakerState;
  /** Milliseconds until an open circuit admits a probe; 0 in any other state. */
  remainingMs(): number;
  admit(): AdmissionDecision;
}

/** @param now monotonic milliseconds */
export function createBreaker(settings: BreakerSettings, now: () => number): Breaker {
  let current: BreakerState = { status: 'closed', failures: 0 };

  const remainingMs = () =>
    current.status === 'open' ? Math.max(0, Math.ceil(current.openedAt + settings.cooldownMs - now())) : 0;

  const state = (): BreakerState => {
    if (current.status === 'open' && remainingMs() === 0) {
      current = { status: 'half_open', failures: current.failures, successes: 0, probing: false };
    }
    return current;
  };

  const admit = (): AdmissionDecision => {
    const before = state();
    if (before.status === 'open') return { admitted: false, failures: before.failures, remainingMs: remainingMs() };
    if (before.status === 'closed') return { admitted: true, admission: new ReportOnce(closed) };
    if (before.probing) return { admitted: false, failures: before.failures, remainingMs: 0 };
    current = { ...before, probing: true };
    return { admitted: true, admission: new ReportOnce(probe) };
  };

  // A call that was let through while the circuit was closed may report when it no longer is; it then decides nothing.
  const onClosedSuccess = () => {
    if (current.status === 'closed') current = { status: 'closed', failures: 0 };
  };
  const onClosedFailure = () => {
    if (current.status !== 'closed') return;
    const failures = current.failures + 1;
    current =
      failures >= settings.failureThreshold
        ? { status: 'open', failures, openedAt: now() }
        : { status: 'closed', failures };
  };

  const onProbeSuccess = () => {
    if (current.status !== 'half_open') return;
    const successes = current.successes + 1;
    current =
      successes >= settings.consecutiveSuccesses
        ? { status: 'closed', failures: 0 }
        : { ...current, successes, probing: false };
  };
  const onProbeFailure = () => {
    if (current.status === 'half_open') current = { status: 'open', failures: current.failures + 1, openedAt: now() };
  };
  const onProbeRelease = () => {
    if (current.status === 'half_open') current = { ...current, probing: false };
  };

  const closed: Admission = { succeed: onClosedSuccess, fail: onClosedFailure, release() {} };
  const probe: Admission = { succeed: onProbeSuccess, fail: onProbeFailure, release: onProbeRelease };
  return { state, remainingMs, admit };
}

class ReportOnce implements Admission {
  #target: Admission | undefined;

  constructor(target: Admission) {
    this.#target = target;
  }

  succeed(): void {
    this.#take()?.succeed();
  }

  fail(): void {
    this.#take()?.fail();
  }

  release(): void {
    this.#take()?.release();
  }

  #take(): Admission | undefined {
    const target = this.#target;
    this.#target = undefined;
    return target;
  }
}
