// Traffic and latency out of what the service counts since its start: the difference of two readings is what happened
// between them.

/** Calls and how long they took, since the start. */
export interface Reading {
  readonly atMs: number;
  readonly calls: number;
  /** Upper bounds in seconds with the calls that took no longer, smallest first. */
  readonly buckets: readonly (readonly [upToSecs: number, calls: number])[];
}

export interface Sample {
  readonly atMs: number;
  readonly callsPerSec: number;
  /** Null where there was no call. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

const line = /^portico_execution_duration_seconds_(bucket|count)(?:\{(.*)\})? (\S+)$/;

/** Adds up all servers and kinds of the Prometheus text. */
export function toReading(metrics: string, atMs: number): Reading {
  const buckets = new Map<number, number>();
  let calls = 0;
  for (const text of metrics.split('\n')) {
    const [, part, labels = '', value = '0'] = line.exec(text) ?? [];
    if (part === 'count') calls += Number(value);
    const upTo = /(?:^|,)le="([^"]+)"/.exec(labels)?.[1];
    if (part !== 'bucket' || upTo === undefined || upTo === '+Inf') continue;
    buckets.set(Number(upTo), (buckets.get(Number(upTo)) ?? 0) + Number(value));
  }
  return { atMs, calls, buckets: [...buckets].sort(([a], [b]) => a - b) };
}

/** What happened between two readings; nothing is known where the service was started anew in between. */
export function toSample(before: Reading, after: Reading): Sample | undefined {
  const calls = after.calls - before.calls;
  const secs = (after.atMs - before.atMs) / 1000;
  if (calls < 0 || secs <= 0) return undefined;
  const counted = new Map(before.buckets);
  const buckets = after.buckets.map(([upTo, count]) => [upTo, count - (counted.get(upTo) ?? 0)] as const);
  return {
    atMs: after.atMs,
    callsPerSec: calls / secs,
    p50Ms: quantile(buckets, calls, 0.5),
    p95Ms: quantile(buckets, calls, 0.95),
  };
}

/** Inside its bucket by proportion, as Prometheus reads histograms. */
function quantile(buckets: Reading['buckets'], calls: number, share: number): number | null {
  if (calls === 0) return null;
  const wanted = calls * share;
  let [below, from] = [0, 0];
  for (const [upTo, count] of buckets) {
    if (count >= wanted) {
      const inside = count === below ? 1 : (wanted - below) / (count - below);
      return (from + (upTo - from) * inside) * 1000;
    }
    [below, from] = [count, upTo];
  }
  return from * 1000;
}
