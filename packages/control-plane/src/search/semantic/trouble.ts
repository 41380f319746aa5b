// Logs the failures of an embedder: once a minute at most, and once when it recovers.
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../../common/log.js';

export interface Trouble {
  failed(error: unknown): void;
  succeeded(): void;
  /** Since the start. */
  failures(): number;
}

const intervalMs = 60_000;

export function createTrouble(log: Log, { now }: Pick<Clock, 'now'>, model: string): Trouble {
  let failures = 0;
  let reportedAtMs: number | undefined;
  let isReported = false; // of trouble that is not over
  return {
    failed(error) {
      failures += 1;
      if (reportedAtMs !== undefined && now() - reportedAtMs < intervalMs) return;
      reportedAtMs = now();
      isReported = true;
      const reason = error instanceof Error ? error.message : String(error);
      log('warn', 'the embedder fails; search uses words only', { model, reason, failures });
    },
    succeeded() {
      if (!isReported) return;
      isReported = false;
      log('info', 'the embedder answers again', { model });
    },
    failures: () => failures,
  };
}
