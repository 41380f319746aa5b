// Metrics of one host. The start does not wait for prom-client: executions are counted without it, and observed metrics
// are registered once it is loaded.
import type { ObservedMetric, PlaneMetrics } from '@portico/control-plane';
import { createExecutionCounts } from './execution-counts.js';
import type { PrometheusMetrics } from './prometheus-metrics.js';

export interface Metrics extends PlaneMetrics, Pick<PrometheusMetrics, 'render'> {
  /** Loads what renders them, and begins to watch the process. The first scrape does so as well. */
  start(): void;
}

/** Creates the metrics of a daemon in the Prometheus text format; the library is loaded when they are first read. */
export function createMetrics(): Metrics {
  const counts = createExecutionCounts();
  const early: ObservedMetric[] = [];
  let loaded: PrometheusMetrics | undefined;
  let loading: Promise<PrometheusMetrics> | undefined;

  const load = async (): Promise<PrometheusMetrics> => {
    const { createPrometheusMetrics } = await import('./prometheus-metrics.js');
    const metrics = createPrometheusMetrics(counts);
    for (const metric of early.splice(0)) metrics.observe(metric);
    loaded = metrics;
    return metrics;
  };
  const open = () => {
    loading ??= load();
    return loading;
  };
  return {
    executed: counts.add,
    observe(metric) {
      if (loaded === undefined) early.push(metric);
      else loaded.observe(metric);
    },
    start: () => void open().catch(() => {}), // the scrape reports it
    render: async () => (await open()).render(),
  };
}
