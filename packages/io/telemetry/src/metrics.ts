// Metrics of one host. prom-client is loaded after the start, which should not wait for it; what comes before is kept.
import type { PlaneMetrics } from '@portico/control-plane';
import type { RenderedMetrics } from './prometheus-metrics.js';

export interface Metrics extends RenderedMetrics {
  /** Loads what renders them, and begins to watch the process. The first execution or scrape does so as well. */
  start(): void;
}

export function createMetrics(): Metrics {
  const early: ((metrics: PlaneMetrics) => void)[] = [];
  let loaded: RenderedMetrics | undefined;
  let loading: Promise<RenderedMetrics> | undefined;

  const load = async (): Promise<RenderedMetrics> => {
    const { createPrometheusMetrics } = await import('./prometheus-metrics.js');
    const metrics = createPrometheusMetrics();
    for (const replay of early.splice(0)) replay(metrics);
    loaded = metrics;
    return metrics;
  };
  const open = () => {
    loading ??= load();
    return loading;
  };
  const start = () => void open().catch(() => {}); // whoever scrapes is told
  return {
    executed(sample) {
      if (loaded !== undefined) return loaded.executed(sample);
      early.push((metrics) => metrics.executed(sample));
      start();
    },
    observe(metric) {
      if (loaded === undefined) early.push((metrics) => metrics.observe(metric));
      else loaded.observe(metric);
    },
    start,
    render: async () => (await open()).render(),
  };
}
