// The port to metrics: the labels of a call, and values that are read at a scrape. Renders nothing.
import type { AuditChannel, ErrorCode } from '@portico/contracts';
import type { CallKind } from '../../call/call.js';

/** One execution that has ended. */
export interface ExecutionSample {
  /** Empty if the id names nothing. */
  readonly server: string;
  /** Id of the catalog's entry; empty if there is none. */
  readonly capability: string;
  readonly kind: CallKind;
  readonly code: ErrorCode | 'TOOL_ERROR' | 'OK';
  /** Absent for what the service runs without a caller. */
  readonly channel: AuditChannel | undefined;
  readonly isReplay: boolean;
  readonly durationMs: number;
}

export interface Reading {
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** A value that another part keeps. */
export interface ObservedMetric {
  readonly type: 'gauge' | 'counter';
  /** As Prometheus shows it: `portico_…`. */
  readonly name: string;
  readonly help: string;
  /** Names of its labels; none by default. */
  readonly labels?: readonly string[];
  /** Called at each scrape; a number where there are no labels. */
  read(): number | readonly Reading[];
}

export interface PlaneMetrics {
  executed(sample: ExecutionSample): void;
  /** Shows a value from now on. @throws Error when its name is taken */
  observe(metric: ObservedMetric): void;
}

/** Counts nothing. */
export const noMetrics: PlaneMetrics = Object.freeze({ executed() {}, observe() {} });

export interface MemoryMetrics extends PlaneMetrics {
  /** Oldest first. */
  executions(): readonly ExecutionSample[];
  /** The result of a scrape under a name. @throws Error for an unknown name */
  read(name: string): number | readonly Reading[];
}

/** Keeps every sample: for tests. */
export function createMemoryMetrics(): MemoryMetrics {
  const samples: ExecutionSample[] = [];
  const observed = new Map<string, ObservedMetric>();
  return {
    executed: (sample) => void samples.push(sample),
    observe(metric) {
      if (observed.has(metric.name)) throw new Error(`there is a metric "${metric.name}" already`);
      observed.set(metric.name, metric);
    },
    executions: () => [...samples],
    read(name) {
      const metric = observed.get(name);
      if (metric === undefined) throw new Error(`there is no metric "${name}"`);
      return metric.read();
    },
  };
}
