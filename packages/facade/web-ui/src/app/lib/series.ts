// The series of calls as bars of a chart: as many as there is room for, over the whole range. Only computations.
import type { ActivityPoint, ActivityRange } from '@portico/contracts';

export interface Bucket {
  readonly startMs: number;
  readonly calls: number;
  readonly failures: number;
  /** Milliseconds; null without calls. */
  readonly meanMs: number | null;
  /** At most: the highest of the points, since percentiles cannot be added. */
  readonly p95Ms: number | null;
  readonly maxMs: number | null;
}

const lengths: Readonly<Record<ActivityRange, { readonly bucketMs: number; readonly count: number }>> = {
  '1h': { bucketMs: 60_000, count: 60 },
  '24h': { bucketMs: 900_000, count: 96 },
};

/** @param nowMs the end of the range; the last bucket is the one that it is in */
export function toBuckets(points: readonly ActivityPoint[], range: ActivityRange, nowMs: number): readonly Bucket[] {
  const { bucketMs, count } = lengths[range];
  const firstMs = (Math.floor(nowMs / bucketMs) - count + 1) * bucketMs;
  const buckets = Array.from({ length: count }, (_, at) => emptyBucket(firstMs + at * bucketMs));
  for (const point of points) {
    const at = Math.floor((Date.parse(point.start) - firstMs) / bucketMs);
    const bucket = buckets[at];
    if (bucket !== undefined) buckets[at] = withPoint(bucket, point);
  }
  return buckets;
}

function emptyBucket(startMs: number): Bucket {
  return { startMs, calls: 0, failures: 0, meanMs: null, p95Ms: null, maxMs: null };
}

function withPoint(bucket: Bucket, point: ActivityPoint): Bucket {
  const { calls, failures, mean_ms: mean, p95_ms: p95, max_ms: max } = point;
  const all = bucket.calls + calls;
  const time = (bucket.meanMs ?? 0) * bucket.calls + (mean ?? 0) * calls;
  return {
    startMs: bucket.startMs,
    calls: all,
    failures: bucket.failures + failures,
    meanMs: all === 0 ? null : time / all,
    p95Ms: higherOf(bucket.p95Ms, p95),
    maxMs: higherOf(bucket.maxMs, max),
  };
}

function higherOf(a: number | null, b: number | null): number | null {
  return b === null ? a : Math.max(a ?? 0, b);
}

/** A round number at or above the largest value, for the top of an axis. */
export function topOf(values: readonly number[]): number {
  const most = Math.max(1, ...values);
  const magnitude = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 5, 10].map((step) => step * magnitude).find((top) => top >= most) ?? most;
}
