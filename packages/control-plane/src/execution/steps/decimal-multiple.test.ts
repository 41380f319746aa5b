// Multiples as people write them, in decimals.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isMultipleOf } from './decimal-multiple.js';

it.each([
  [19.99, 0.01],
  [0.3, 0.1],
  [4.35, 0.01],
  [-1.1, 0.1],
  [0, 0.01],
  [-0, 7],
  [1e300, 1e-300],
  [9, 4.5],
  [1e21, 10],
  [2 ** 53, 2],
])('%d is a multiple of %d', (value, divisor) => {
  expect(isMultipleOf(value, divisor)).toBe(true);
});

it.each([
  [19.995, 0.01],
  [0.35, 0.1],
  [7, 2],
  [1e-300, 1e300],
  [1, 0],
  [Number.POSITIVE_INFINITY, 1],
])('%d is no multiple of %d', (value, divisor) => {
  expect(isMultipleOf(value, divisor)).toBe(false);
});

it('a number of cents is a multiple of 0.01', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), (cents) => {
      expect(isMultipleOf(cents / 100, 0.01)).toBe(true);
    }),
  );
});
