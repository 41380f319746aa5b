import { describe, expect, it, test } from 'vitest';
import { countIn, stepText, tickOf, timesOf, totalsOf } from './status-series.js';

const none = { success: 0, failed: 0, denied: 0, intercepted: 0, cancelled: 0 };
const start = '2026-01-02T03:04:05.000Z';

it('counts by outcome and in all', () => {
  const points = [
    { start, ...none, success: 2, denied: 1 },
    { start, ...none, success: 1, cancelled: 4 },
  ];
  expect(totalsOf(points)).toEqual({ ...none, success: 3, denied: 1, cancelled: 4 });
  expect(points.map(countIn)).toEqual([3, 5]);
});

it('the times of an interval end before the next one begins', () => {
  expect(timesOf({ start }, 60)).toEqual({ start_time: start, end_time: '2026-01-02T03:05:04.999Z' });
});

test.each([
  [1, 'a second'],
  [30, '30 seconds'],
  [3600, 'an hour'],
  [7200, '2 hours'],
  [604_800, '7 days'],
])('%i seconds are %s', (secs, text) => {
  expect(stepText(secs)).toBe(text);
});

describe('a tick', () => {
  test.each([
    [1, 60, /^\d\d:\d\d:\d\d$/],
    [60, 60, /^\d\d:\d\d$/],
    [43_200, 60, /^\d\d-\d\d \d\d:\d\d$/],
    [86_400, 60, /^2026-01-\d\d$/],
  ])('of intervals of %i s, %i of them', (step, count, pattern) => {
    expect(tickOf(start, step, count)).toMatch(pattern);
  });
});
