// The metrics of one host in a registry of their own. It knows how Prometheus writes them, not what they mean.
import type { ObservedMetric, PlaneMetrics, Reading } from '@portico/control-plane';
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { type DurationReading, durationBounds, type ExecutionCounts } from './execution-counts.js';

export interface MetricsText {
  readonly contentType: string;
  readonly text: string;
}

export interface PrometheusMetrics extends Pick<PlaneMetrics, 'observe'> {
  /** Everything that is shown, in the Prometheus text format. */
  render(): Promise<MetricsText>;
}

export function createPrometheusMetrics({
  executions,
  replays,
  channels,
  durations,
}: ExecutionCounts): PrometheusMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addObserved(registry, {
    type: 'counter',
    name: 'portico_executions_total',
    help: 'Executions that have ended, by outcome',
    labels: ['server', 'capability', 'kind', 'code'],
    read: executions,
  });
  addObserved(registry, {
    type: 'counter',
    name: 'portico_channel_executions_total',
    help: 'Executions that have ended, by the channel that they came by: stdio, mcp-http, http, cli or ui',
    labels: ['channel', 'code'],
    read: channels,
  });
  registry.registerMetric(toMetric(durations));
  addObserved(registry, {
    type: 'counter',
    name: 'portico_replays_total',
    help: 'Executions that were answered from a stored outcome',
    labels: ['server', 'kind'],
    read: replays,
  });
  return {
    observe: (metric) => addObserved(registry, metric),
    async render() {
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

const durationName = 'portico_execution_duration_seconds';

/** A histogram that is counted elsewhere: a registry asks a metric for nothing but its name and `get`. */
function toMetric(durations: () => readonly DurationReading[]): Metric<string> {
  const help = 'How long executions took, waits for people included';
  const get = async () => ({
    name: durationName,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: durations().flatMap(valuesOf),
  });
  return { name: durationName, get } as unknown as Metric<string>;
}

/** Prometheus, exposition formats: cumulative buckets by `le`, then the sum and the count. */
function valuesOf({ labels, atMost, sum }: DurationReading) {
  const buckets = atMost.map((value, at) => ({
    metricName: `${durationName}_bucket`,
    labels: { le: durationBounds[at] ?? '+Inf', ...labels },
    value,
  }));
  return [
    ...buckets,
    { metricName: `${durationName}_sum`, labels, value: sum },
    { metricName: `${durationName}_count`, labels, value: atMost.at(-1) ?? 0 },
  ];
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
      counter.reset(); // the total is counted elsewhere
      for (const { labels, value } of readings(read())) counter.inc(labels, value);
    },
  });
}

function readings(read: number | readonly Reading[]): readonly Reading[] {
  return typeof read === 'number' ? [{ labels: {}, value: read }] : read;
}
