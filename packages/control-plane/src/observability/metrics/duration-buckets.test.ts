// Buckets of durations: percentiles are near those of the durations themselves.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { longestUs } from './call-series.js';
import { bucketCount, bucketOf, percentileUs } from './duration-buckets.js';

const anyUs = fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 1_000_000 }), fc.nat({ max: longestUs }));

it('has percentiles within 6.25 %, or 4 µs, of those of the durations', () => {
  fc.assert(
    fc.property(
      fc.array(anyUs, { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.5, 0.95, 1),
      (durations, fraction) => {
        const buckets = new Uint32Array(bucketCount);
        for (const us of durations) buckets[bucketOf(us)] = (buckets[bucketOf(us)] ?? 0) + 1;
        const exact = durations.toSorted((a, b) => a - b)[Math.ceil(fraction * durations.length) - 1] ?? 0;
        const found = percentileUs(buckets, durations.length, fraction);
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(Math.max(4, exact / 16));
      },
    ),
  );
});

it('holds each duration, longer ones in no lower bucket', () => {
  expect([0, 7, 8, 63, 64, 71, 72, longestUs].map(bucketOf)).toEqual([0, 0, 1, 7, 8, 8, 9, bucketCount - 1]);
});
