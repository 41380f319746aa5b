import { expect, test } from 'vitest';
import { toBuckets, topOf } from './series.js';

const now = Date.parse('2026-03-01T12:00:30.000Z');
const point = (start: string, calls: number, failures: number, mean: number | null, max: number | null, p95 = max) => ({
  start,
  calls,
  failures,
  mean_ms: mean,
  p50_ms: mean,
  p95_ms: p95,
  max_ms: max,
});

test('the points of a minute are one bar of the last hour', () => {
  const buckets = toBuckets(
    [point('2026-03-01T11:59:10.000Z', 1, 0, 10, 10), point('2026-03-01T11:59:50.000Z', 3, 2, 30, 70, 60)],
    '1h',
    now,
  );
  expect([buckets.length, buckets[0]?.startMs, buckets.at(-1)?.startMs]).toEqual([
    60,
    Date.parse('2026-03-01T11:01:00.000Z'),
    Date.parse('2026-03-01T12:00:00.000Z'),
  ]);
  expect(buckets.at(-2)).toEqual({
    startMs: Date.parse('2026-03-01T11:59:00.000Z'),
    calls: 4,
    failures: 2,
    meanMs: 25,
    p95Ms: 60,
    maxMs: 70,
  });
});

test('a bar without calls has no duration, and points before the range are left out', () => {
  const buckets = toBuckets([point('2026-02-01T00:00:00.000Z', 5, 0, 1, 1)], '24h', now);
  expect(buckets).toHaveLength(96);
  expect(new Set(buckets.map(({ calls, meanMs }) => `${calls} ${meanMs}`))).toEqual(new Set(['0 null']));
});

test.each([
  [[], 1],
  [[3], 4],
  [[7, 12], 20],
  [[41], 50],
  [[100], 100],
])('the axis over %j ends at %d', (values, top) => {
  expect(topOf(values)).toBe(top);
});
