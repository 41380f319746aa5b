// The metrics of the lock.
import { driftClasses } from '@portico/tools-lock';
import type { PlaneMetrics } from '../observability/metrics/metrics.js';
import { lockFault } from '../state/lock-verdicts.js';
import type { PlaneState } from '../state/plane-state.js';
import type { DriftReport } from './drift-report.js';

export function observeLock(
  metrics: PlaneMetrics,
  state: () => PlaneState,
  { totals }: Pick<DriftReport, 'totals'>,
): void {
  metrics.observe({
    type: 'gauge',
    name: 'portico_lock_usable',
    help: '0 where the configured lock of definitions cannot be used',
    read: () => (lockFault(state()) === undefined ? 1 : 0),
  });
  metrics.observe({
    type: 'gauge',
    name: 'portico_lock_drift',
    help: 'Definitions that differ from the lock, by class',
    labels: ['class'],
    read: () => {
      const drifts = [...state().lock.servers.values()].flatMap((verdict) => verdict.drifts);
      const count = (found: string) => drifts.filter((drift) => drift.class === found).length;
      return driftClasses.map((found) => ({ labels: { class: found }, value: count(found) }));
    },
  });
  metrics.observe({
    type: 'gauge',
    name: 'portico_lock_held',
    help: 'Definitions that are held until they are accepted, by server',
    labels: ['server'],
    read: () => [...state().lock.servers].map(([server, { held }]) => ({ labels: { server }, value: held.size })),
  });
  metrics.observe({
    type: 'counter',
    name: 'portico_lock_drift_total',
    help: 'Drifts that were found since the start, by class',
    labels: ['class'],
    read: () => Object.entries(totals()).map(([found, value]) => ({ labels: { class: found }, value })),
  });
}
