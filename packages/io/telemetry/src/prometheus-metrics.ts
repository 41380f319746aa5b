// The metrics of one host in a registry of their own. It knows how Prometheus writes them, not what they mean.
import type { ObservedMetric, PlaneMetrics, Reading } from '@portico/control-plane';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

export interface RenderedMetrics extends PlaneMetrics {
  /** Everything that is shown, in the Prometheus text format. */
  render(): Promise<MetricsText>;
}

/** Upper bounds in seconds; half of them below what an HTTP round trip takes, since many servers are on this machine. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export function createPrometheusMetrics(): RenderedMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const executions = new Counter({
    name: 'portico_executions_total',
    help: 'Executions that have ended, by what became of them',
    labelNames: ['server', 'capability', 'kind', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'portico_execution_duration_seconds',
    help: 'How long executions took, waits for people included',
    labelNames: ['server', 'kind'],
    buckets,
    registers,
  });
  const replays = new Counter({
    name: 'portico_replays_total',
    help: 'Executions that were answered from a stored outcome',
    labelNames: ['server', 'kind'],
    registers,
  });
  return {
    executed({ server, capability, kind, code, isReplay, durationMs }) {
      executions.inc({ server, capability, kind, code });
      durations.observe({ server, kind }, durationMs / 1000);
      if (isReplay) replays.inc({ server, kind });
    },
    observe: (metric) => addObserved(registry, metric),
    async render() {
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function addObserved(registry: Registry, { type, name, help, labels = [], read }: ObservedMetric): void {
  const options = { name, help, labelNames: [...labels], registers: [registry] };
  if (type === 'gauge') {
    const gauge: Gauge = new Gauge({
      ...options,
      collect() {
        gauge.reset();
        for (const { labels, value } of readings(read())) gauge.set(labels, value);
      },
    });
    return;
  }
  const counter: Counter = new Counter({
    ...options,
    collect() {
      counter.reset(); // it shows a total that somebody else counts
      for (const { labels, value } of readings(read())) counter.inc(labels, value);
    },
  });
}

function readings(read: number | readonly Reading[]): readonly Reading[] {
  return typeof read === 'number' ? [{ labels: {}, value: read }] : read;
}
