// When a lost server is tried again: the schedule, and how many restarts a child process has.
import { plural, type Resilience } from '@portico/contracts';

const firstDelayMs = 500;
const maxDelayMs = 30_000;
/** Running this long makes earlier restarts forgotten. */
export const healthyAfterMs = 60_000;

/** Delay before the n-th retry (n from 1): `min(500 * 2^(n-1), 30000)` milliseconds. */
export function retryDelayMs(retry: number): number {
  return Math.min(firstDelayMs * 2 ** (retry - 1), maxDelayMs);
}

export type NextAttempt =
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** `isGivenUp`: its restarts are used up. */
  | { readonly kind: 'stop'; readonly reason: string; readonly isGivenUp: boolean };

/**
 * The next step after a failure. `maxRestarts` and `autoRestart` are about child processes; a server reached over HTTP
 * is another owner's process, so it is tried while it is configured.
 */
export function nextAttempt(retry: number, isChild: boolean, resilience: Resilience): NextAttempt {
  if (isChild && !resilience.autoRestart) return { kind: 'stop', reason: 'autoRestart is off', isGivenUp: false };
  if (isChild && retry > resilience.maxRestarts) {
    const reason = `gave up after ${plural(resilience.maxRestarts, 'restart')} (maxRestarts)`;
    return { kind: 'stop', reason, isGivenUp: true };
  }
  return { kind: 'retry', delayMs: retryDelayMs(retry) };
}
