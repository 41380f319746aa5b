// Calls over time: what an interval has, and that a clock, idle times and restarts do not confuse it.
import { describe, expect, it } from 'vitest';
import { createCallSeries, gathered, stepMs } from './call-series.js';

function start(startMs = 0) {
  let nowMs = startMs;
  const series = createCallSeries({ epochMs: () => nowMs });
  const { ended } = series;
  const call = (durationMs: number, failed = false) => {
    ended.step[ended.count] = nowMs / stepMs;
    ended.durationUs[ended.count] = durationMs * 1000;
    ended.hasFailed[ended.count] = failed ? 1 : 0;
    ended.count += 1;
    if (ended.count === gathered) series.takeIn();
  };
  const at = (ms: number) => {
    nowMs = ms;
  };
  const counts = (range: '1h' | '24h') => series.read(range).points.map(({ calls }) => calls);
  return { series, call, at, counts };
}

describe('the series of calls', () => {
  it('has calls, failures, and the mean, percentiles and longest duration of each interval', () => {
    const { series, call, at } = start(5000);
    call(2);
    call(4, true);
    at(25_000);
    call(0.5);
    expect(series.read('1h')).toEqual({
      step_secs: 10,
      points: [
        {
          start: '1970-01-01T00:00:00.000Z',
          calls: 2,
          failures: 1,
          mean_ms: 3,
          p50_ms: 1.984,
          p95_ms: 3.968,
          max_ms: 4,
        },
        {
          start: '1970-01-01T00:00:10.000Z',
          calls: 0,
          failures: 0,
          mean_ms: null,
          p50_ms: null,
          p95_ms: null,
          max_ms: null,
        },
        {
          start: '1970-01-01T00:00:20.000Z',
          calls: 1,
          failures: 0,
          mean_ms: 0.5,
          p50_ms: 0.496,
          p95_ms: 0.496,
          max_ms: 0.5,
        },
      ],
    });
    expect(series.read('24h')).toMatchObject({ step_secs: 300, points: [{ calls: 3, failures: 1, max_ms: 4 }] });
  });

  it.each([
    ['1h', 360, 3_600_000],
    ['24h', 288, 86_400_000],
  ] as const)('of %s has %i intervals at most, and none of an hour or a day before', (range, slots, spanMs) => {
    const { call, at, counts } = start();
    call(1);
    at(spanMs - 1);
    expect(counts(range)).toEqual([1, ...Array.from({ length: slots - 1 }, () => 0)]);
    at(spanMs);
    call(1);
    expect(counts(range)).toEqual([...Array.from({ length: slots - 1 }, () => 0), 1]);
    at(3 * spanMs);
    expect(counts(range)).toEqual(Array.from({ length: slots }, () => 0));
  });

  it('has percentiles of the calls of one interval only, also where a slot is used again', () => {
    const { series, call, at } = start();
    for (let n = 0; n < 100; n += 1) call(n < 90 ? 1 : 1000);
    expect(series.read('1h').points).toMatchObject([{ p50_ms: 0.992, p95_ms: 1000, max_ms: 1000 }]);
    at(3_600_000); // the same slot
    call(8);
    expect(series.read('1h').points.at(-1)).toMatchObject({ calls: 1, p50_ms: 7.936, p95_ms: 7.936, max_ms: 8 });
    expect(series.read('24h').points.at(-1)).toMatchObject({ calls: 1, p95_ms: 7.936 });
  });

  it('takes more calls in than it gathers', () => {
    const { call, counts } = start();
    for (let n = 0; n < 2 * gathered + 3; n += 1) call(1);
    expect(counts('1h')).toEqual([2 * gathered + 3]);
  });

  it('adds to the newest interval while the clock is behind it', () => {
    const { call, at, counts } = start(60_000);
    at(75_000);
    call(1);
    at(30_000);
    call(1);
    expect(counts('1h')).toEqual([0, 2]);
  });
});
