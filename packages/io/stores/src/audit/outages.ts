// The outages of a log: a log line when one begins and one when it ends, regardless of the attempts in between, whose
// intervals grow.
import type { Log } from '@portico/control-plane';
import { codeOf, messageOf } from '../files.js';
import type { AuditClock } from './clock.js';

/** A time in which the log could not be written. */
export interface Outage {
  readonly sinceMs: number;
  /** The first cause of the outage, as the error code of the system. */
  readonly code: string;
  readonly reason: string;
}

export interface Outages {
  current(): Outage | undefined;
  /** Whether it may be tried: always, but between tries of an outage. */
  mayTry(): boolean;
  failed(error: unknown): Outage;
  worked(): void;
  /** Does not wait for the next try. */
  tryNow(): void;
  /** Stops permanently: no more attempts. */
  close(): void;
}

export interface OutagesDeps {
  /** Names and values that identify the log in messages. */
  readonly named: Readonly<Record<string, string>>;
  readonly clock: AuditClock;
  readonly log: Log;
  readonly onRetry: () => void;
  readonly onAvailable: (outage: Outage) => void;
}

const firstRetryMs = 250;
const lastRetryMs = 5000;

export function createOutages({ named, clock, log, onRetry, onAvailable }: OutagesDeps): Outages {
  let current: Outage | undefined;
  let retryMs = firstRetryMs;
  let cancelRetry: (() => void) | undefined;

  const stopWaiting = () => {
    cancelRetry?.();
    cancelRetry = undefined;
  };

  return {
    current: () => current,
    mayTry: () => cancelRetry === undefined,
    failed(error) {
      if (current === undefined) {
        current = {
          sinceMs: clock.epochMs(),
          code: codeOf(error) ?? 'unknown',
          reason: messageOf(error) || codeOf(error) || 'unknown',
        };
        const fields = { ...named, reason: current.reason };
        log('error', 'the audit log cannot be written: what needs a record is refused until it can', fields);
      }
      cancelRetry = clock.after(retryMs, () => {
        cancelRetry = undefined;
        onRetry();
      });
      retryMs = Math.min(2 * retryMs, lastRetryMs);
      return current;
    },
    worked() {
      const ended = current;
      current = undefined;
      retryMs = firstRetryMs;
      if (ended === undefined) return;
      log('info', 'the audit log is written again', { ...named, since: new Date(ended.sinceMs).toISOString() });
      onAvailable(ended);
    },
    tryNow: stopWaiting,
    close() {
      stopWaiting();
      cancelRetry = () => {};
      current ??= { sinceMs: clock.epochMs(), code: 'closed', reason: 'the audit log is closed' };
    },
  };
}
