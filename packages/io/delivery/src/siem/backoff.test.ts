// Waits between tries.
import { expect, it } from 'vitest';
import { backoffMs, parseRetryAfter } from './backoff.js';

it('doubles from half a second to a minute, and never overflows', () => {
  expect([1, 2, 3, 7, 8, 9, 5000].map((failures) => backoffMs(failures, 1))).toEqual([
    500, 1000, 2000, 32_000, 60_000, 60_000, 60_000,
  ]);
});

it('is spread over the whole wait', () => {
  expect([0, 0.5, 1].map((unit) => backoffMs(3, unit))).toEqual([0, 1000, 2000]);
});

it.each([
  ['7', 7000],
  ['0', 0],
  ['86400', 300_000],
  ['Thu, 01 Jan 1970 00:01:30 GMT', 30_000],
  ['Thu, 01 Jan 1970 00:00:30 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 300_000],
  ['-5', 0],
  ['soon', 0],
  ['', 0],
  [null, 0],
])('reads Retry-After %j as %i ms', (value, ms) => {
  expect(parseRetryAfter(value, 60_000)).toBe(ms);
});
