// A few counts since the start, for people who look at the service itself rather than at its metrics.
import type { Activity } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { PlaneMetrics } from './metrics.js';

export interface ActivityCounter {
  /** Counts what goes to the metrics as well. */
  readonly metrics: PlaneMetrics;
  /** A list or detail of the catalog was asked for. */
  catalogAsked(isUnchanged: boolean): void;
  read(): Omit<Activity, 'approvals_pending'>;
}

export function createActivityCounter(metrics: PlaneMetrics, clock: Pick<Clock, 'now'>): ActivityCounter {
  const startedMs = clock.now();
  const counts = { catalog_requests: 0, not_modified: 0, executions: 0, executions_failed: 0, replays: 0 };
  return {
    metrics: {
      ...metrics,
      executed(sample) {
        if (sample.isReplay) counts.replays += 1;
        else {
          counts.executions += 1;
          if (sample.code !== 'OK') counts.executions_failed += 1;
        }
        metrics.executed(sample);
      },
    },
    catalogAsked(isUnchanged) {
      counts.catalog_requests += 1;
      if (isUnchanged) counts.not_modified += 1;
    },
    read: () => ({ uptime_secs: Math.floor((clock.now() - startedMs) / 1000), ...counts }),
  };
}
