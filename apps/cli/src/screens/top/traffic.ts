// Rates and latencies out of the difference of two samples. Counts that went down are those of a new daemon.
import type { ServerInfo } from '@portico/contracts';
import { type Counted, nothingCounted } from './metrics-text.js';
import type { Waiting } from './waiting.js';

export interface Sample {
  /** On a clock that only goes forward. */
  readonly atMs: number;
  readonly servers: readonly ServerInfo[];
  readonly waiting: Waiting;
  /** By server; null if we may not read the metrics. */
  readonly counts: ReadonlyMap<string, Counted> | null;
}

export interface Traffic {
  readonly callsPerSecond: number;
  readonly failedPerSecond: number;
  /** Upper limits of the buckets that half, and 95 of 100, of the calls are within; null without calls. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** Samples between which is measured: ten of a second each. */
const window = 11;

/** Forgets what is too old, and everything before a restart of the daemon. */
export function addSample(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1);
  const isNewRun = last !== undefined && callsOf(next) < callsOf(last);
  return isNewRun ? [next] : [...samples, next].slice(-window);
}

/** Traffic of one server, or of all. Null while there are no two samples, or without metrics. */
export function trafficOf(samples: readonly Sample[], server?: string): Traffic | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (first?.counts == null || last?.counts == null || first === last) return null;
  const seconds = (last.atMs - first.atMs) / 1000;
  if (seconds <= 0) return null;
  const before = countOf(first.counts, server);
  const after = countOf(last.counts, server);
  const buckets = [...after.buckets].map(
    ([limit, count]) => [limit, count - (before.buckets.get(limit) ?? 0)] as const,
  );
  return {
    callsPerSecond: (after.calls - before.calls) / seconds,
    failedPerSecond: (after.failed - before.failed) / seconds,
    p50Ms: quantile(buckets, 0.5),
    p95Ms: quantile(buckets, 0.95),
  };
}

function callsOf({ counts }: Sample): number {
  return counts === null ? 0 : countOf(counts, undefined).calls;
}

function countOf(counts: ReadonlyMap<string, Counted>, server: string | undefined): Counted {
  if (server !== undefined) return counts.get(server) ?? nothingCounted;
  return [...counts.values()].reduce(sum, nothingCounted);
}

function sum(a: Counted, b: Counted): Counted {
  const limits = new Set([...a.buckets.keys(), ...b.buckets.keys()]);
  return {
    calls: a.calls + b.calls,
    failed: a.failed + b.failed,
    buckets: new Map([...limits].map((limit) => [limit, (a.buckets.get(limit) ?? 0) + (b.buckets.get(limit) ?? 0)])),
  };
}

/** @param buckets cumulative counts by their upper limits in seconds */
function quantile(buckets: readonly (readonly [number, number])[], share: number): number | null {
  const ordered = [...buckets].sort(([a], [b]) => a - b);
  const total = ordered.at(-1)?.[1] ?? 0;
  if (total <= 0) return null;
  const limit = ordered.find(([, count]) => count >= total * share)?.[0] ?? Number.POSITIVE_INFINITY;
  return limit * 1000;
}
