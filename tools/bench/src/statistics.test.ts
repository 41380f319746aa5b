import { expect, test } from 'vitest';
import { growthOverLastHalf, median, percentile, ratios, withSpread } from './statistics.js';

test('takes medians and percentiles of values in any order, and leaves them as they are', () => {
  const values = [5, 1, 4, 2, 3];

  expect([median(values), percentile(values, 0), percentile(values, 0.99)]).toEqual([3, 1, 5]);
  expect(values).toEqual([5, 1, 4, 2, 3]);
});

test('has no median of nothing', () => {
  expect(median([])).toBeNaN();
});

test('says a median with the least and the most of several rounds, and a single round as it is', () => {
  expect(withSpread([0.412, 0.398, 0.456], 2)).toBe('0.41 (0.40 to 0.46)');
  expect(withSpread([147.6])).toBe('148');
});

test('divides round by round, so that what slowed a whole round down counts for neither side', () => {
  expect(ratios([100, 20], [200, 40])).toEqual([0.5, 0.5]);
  expect(ratios([1, 2], [1])).toEqual([1, Number.NaN]);
});

test('compares the last quarter of samples with the quarter before, independent of earlier ones', () => {
  expect(growthOverLastHalf([1, 50, 90, 99, 100, 100, 101, 101])).toBeCloseTo(1);
  expect(growthOverLastHalf([10, 60, 100, 100, 100, 100, 100, 100])).toBe(0);
});
