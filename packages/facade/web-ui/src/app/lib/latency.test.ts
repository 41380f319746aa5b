import { expect, test } from 'vitest';
import { toReading, toSample } from './latency.js';

const text = (server: string, quick: number, slow: number) =>
  [
    `portico_execution_duration_seconds_bucket{le="0.01",server="${server}",kind="tool"} ${quick}`,
    `portico_execution_duration_seconds_bucket{le="0.1",server="${server}",kind="tool"} ${quick + slow}`,
    `portico_execution_duration_seconds_bucket{le="+Inf",server="${server}",kind="tool"} ${quick + slow}`,
    `portico_execution_duration_seconds_count{server="${server}",kind="tool"} ${quick + slow}`,
  ].join('\n');

test('servers are added up', () => {
  expect(toReading(`${text('a', 1, 2)}\n${text('b', 3, 0)}\n# a comment`, 5)).toEqual({
    atMs: 5,
    calls: 6,
    buckets: [
      [0.01, 4],
      [0.1, 6],
    ],
  });
});

test('the difference of two readings is traffic and latency', () => {
  const sample = toSample(toReading(text('a', 10, 0), 0), toReading(text('a', 20, 10), 2000));
  expect(sample).toEqual({ atMs: 2000, callsPerSec: 10, p50Ms: 10, p95Ms: expect.closeTo(91) });
});

test('without calls there is no latency, and after a restart no sample', () => {
  const before = toReading(text('a', 10, 0), 0);
  expect(toSample(before, { ...before, atMs: 1000 })).toMatchObject({ callsPerSec: 0, p50Ms: null, p95Ms: null });
  expect(toSample(before, toReading('', 1000))).toBeUndefined();
});
