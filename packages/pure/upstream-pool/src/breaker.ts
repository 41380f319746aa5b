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

/** A call that is let through. It reports once: later reports are ignored. */
export interface AdmittedCall {
  /** How it was let through, until it has reported. Begins as `plain`; the breaker alone changes it. */
  admission: 'plain' | 'probe' | 'reported';
}

/** Why a call is not let through. */
export interface Refusal {
  readonly failures: number;
  readonly remainingMs: number;
}

export interface Breaker {
  /** It is closed and has counted no failure: it lets every call through, and a success changes nothing. */
  readonly isCalm: boolean;
  /** The state now; an open circuit whose cooldown has passed is half open. */
  state(): BreakerState;
  /** Milliseconds until an open circuit admits a probe; 0 in any other state. */
  remainingMs(): number;
  /** Lets a call through, unless it says why not. */
  admit(call: AdmittedCall): Refusal | undefined;
  /** The server answered. */
  succeed(call: AdmittedCall): void;
  /** Time-out, lost connection or failed connect. @param isUnsent whether the server was not connected */
  fail(call: AdmittedCall, isUnsent?: boolean): void;
  /** The outcome says nothing about the server: cancelled, or refused for the request's own fault. */
  release(call: AdmittedCall): void;
  /**
   * The process of the server has started again and answers. Failures of calls that were not sent count no more, and the
   * circuit that they have opened is half open.
   */
  restarted(): void;
}

/**
 * Creates a circuit breaker: closed, open after failures, half-open for a trial.
 * @param now monotonic milliseconds
 */
export function createBreaker(settings: BreakerSettings, now: () => number): Breaker {
  return new CountingBreaker(settings, now);
}

const calm: BreakerState = { status: 'closed', failures: 0 };

class CountingBreaker implements Breaker {
  isCalm = true;
  readonly #settings: BreakerSettings;
  readonly #now: () => number;
  #current = calm;
  /** How many of the failures were of calls that were not sent. */
  #unsent = 0;

  constructor(settings: BreakerSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  remainingMs(): number {
    const { status } = this.#current;
    if (status !== 'open') return 0;
    return Math.max(0, Math.ceil(this.#current.openedAt + this.#settings.cooldownMs - this.#now()));
  }

  state(): BreakerState {
    const { status, failures } = this.#current;
    if (status === 'open' && this.remainingMs() === 0) {
      this.#become({ status: 'half_open', failures, successes: 0, probing: false });
    }
    return this.#current;
  }

  admit(call: AdmittedCall): Refusal | undefined {
    const before = this.state();
    if (before.status === 'closed') return undefined;
    if (before.status === 'open') return { failures: before.failures, remainingMs: this.remainingMs() };
    if (before.probing) return { failures: before.failures, remainingMs: 0 };
    this.#become({ ...before, probing: true });
    call.admission = 'probe';
    return undefined;
  }

  // A call that was let through while the circuit was closed may report when it no longer is; it then decides nothing.
  succeed(call: AdmittedCall): void {
    const { admission } = call;
    const current = this.#current;
    call.admission = 'reported';
    if (admission === 'plain' && current.status === 'closed') this.#become(calm);
    if (admission !== 'probe' || current.status !== 'half_open') return;
    const successes = current.successes + 1;
    this.#become(successes >= this.#settings.consecutiveSuccesses ? calm : { ...current, successes, probing: false });
  }

  fail(call: AdmittedCall, isUnsent = false): void {
    const { admission } = call;
    const { status } = this.#current;
    call.admission = 'reported';
    const counts = (admission === 'plain' && status === 'closed') || (admission === 'probe' && status === 'half_open');
    if (!counts) return;
    const failures = this.#current.failures + 1;
    if (isUnsent) this.#unsent += 1;
    const isOpen = admission === 'probe' || failures >= this.#settings.failureThreshold;
    this.#become(isOpen ? { status: 'open', failures, openedAt: this.#now() } : { status: 'closed', failures });
  }

  release(call: AdmittedCall): void {
    const { admission } = call;
    call.admission = 'reported';
    if (admission === 'probe' && this.#current.status === 'half_open') {
      this.#become({ ...this.#current, probing: false });
    }
  }

  restarted(): void {
    const { status, failures } = this.state();
    const left = failures - this.#unsent;
    if (this.#unsent === 0 || left >= this.#settings.failureThreshold) return;
    if (status === 'closed') this.#become({ status, failures: left });
    if (status === 'open') this.#become({ status: 'half_open', failures, successes: 0, probing: false });
    this.#unsent = 0;
  }

  #become(state: BreakerState): void {
    this.#current = state;
    this.isCalm = state.status === 'closed' && state.failures === 0;
    if (this.isCalm) this.#unsent = 0;
  }
}
