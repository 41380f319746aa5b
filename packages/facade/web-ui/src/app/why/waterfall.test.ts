import { expect, test } from 'vitest';
import { toBars } from './waterfall.js';

test('steps are laid out one after the other, in per cent of all of them', () => {
  const bars = toBars([{}, { took_us: 250 }, { took_us: 750 }]);
  expect(bars).toEqual([undefined, { start: 0, width: 25 }, { start: 25, width: 75 }]);
});

test('a short step keeps a bar that can be seen, within the call', () => {
  expect(toBars([{ took_us: 100_000 }, { took_us: 1 }])).toEqual([
    { start: 0, width: expect.closeTo(99.999, 2) },
    { start: 99, width: 1 },
  ]);
});

test('steps without a duration have no bars', () => {
  expect(toBars([{ took_us: 0 }, {}])).toEqual([undefined, undefined]);
});
