import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createSeries, toSpan } from './series.js';
import { createUsage } from './usage.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('the intervals of a range', () => {
  test.each([
    ['a minute', 59_999, 60, 1000],
    ['an hour', hourMs, 60, 120_000],
    ['an hour, with one interval to spare', hourMs, 61, 60_000],
    ['a day', dayMs, 60, 1_800_000],
    ['a year', 365 * dayMs, 60, 7 * dayMs],
    ['a century', 36_500 * dayMs, 60, 365 * dayMs],
  ])('have a round length for %s', (_name, rangeMs, most, stepMs) => {
    expect(toSpan(0, rangeMs, most).stepMs).toBe(stepMs);
  });

  it('cover the range, begin at multiples of their length, and are never too many', () => {
    fc.assert(
      fc.property(fc.nat(4e12), fc.nat(3e12), fc.integer({ min: 1, max: 200 }), (startMs, lengthMs, most) => {
        const span = toSpan(startMs, startMs + lengthMs, most);
        expect(span.startMs % span.stepMs).toBe(0);
        expect(span.startMs).toBeLessThanOrEqual(startMs);
        expect(span.count).toBeLessThanOrEqual(most);
        if (span.stepMs < 365 * dayMs)
          expect(span.startMs + span.count * span.stepMs).toBeGreaterThan(startMs + lengthMs);
      }),
    );
  });
});

it('counts by outcome in each interval, and leaves out what is in none', () => {
  const series = createSeries({ startMs: 1000, stepMs: 10, count: 2 });
  for (const [at, status] of [
    [999, 'failed'],
    [1000, 'failed'],
    [1009.5, 'success'],
    [1010, 'denied'],
    [1020, 'denied'],
    [Number.NaN, 'denied'],
  ] as const)
    series.add(at, status);
  series.add(1019, 'intercepted', 5);
  const none = { success: 0, failed: 0, denied: 0, intercepted: 0, cancelled: 0 };
  expect(series.points()).toEqual([
    { startMs: 1000, byStatus: { ...none, failed: 1, success: 1 } },
    { startMs: 1010, byStatus: { ...none, denied: 1, intercepted: 5 } },
  ]);
});

it('counts calls and refusals by capability, the most used first, and nothing else', () => {
  const usage = createUsage('capability_id');
  const add = (capability_id: string, event_type: 'tool_call' | 'policy_violation' | 'approval_created', at: number) =>
    usage.add({ capability_id, event_type, status: at % 2 === 0 ? 'success' : 'failed' }, at);
  add('a', 'tool_call', 2);
  add('b', 'tool_call', 5);
  add('b', 'policy_violation', 4);
  add('a', 'approval_created', 9);
  usage.add({ event_type: 'tool_call', status: 'success' }, 9);
  const [a, b] = [
    { name: 'a', calls: 1, failed: 0, refused: 0, lastMs: 2 },
    { name: 'b', calls: 1, failed: 1, refused: 1, lastMs: 5 },
  ];
  expect(usage.usage(10)).toEqual({ rows: [b, a], isComplete: true });
  expect(usage.usage(1)).toEqual({ rows: [b], isComplete: false });
});

it('counts calls by actor, and those without one together', () => {
  const usage = createUsage('actor_id');
  const call = { capability_id: 'a', event_type: 'tool_call', status: 'success' } as const;
  for (const actor_id of ['ann', 'bob', 'ann']) usage.add({ actor_id, ...call }, 1);
  usage.add(call, 2);
  expect(usage.usage(10).rows.map(({ name, calls }) => [name, calls])).toEqual([
    ['ann', 2],
    ['', 1],
    ['bob', 1],
  ]);
});
