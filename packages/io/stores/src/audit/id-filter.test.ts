// Filters of ids: what was put in is found, and little else.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { idNumber } from './block.js';
import { createIdFilter, mayHoldId } from './id-filter.js';

it('finds each id that it was made of', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 0xffffffff })), (ids) => {
      const filter = createIdFilter(ids);
      return ids.every((id) => id === 0 || mayHoldId(filter, id));
    }),
  );
});

it('takes 12 bits an id, and one in 200 others for one of them at most', () => {
  const of = (name: string) => Array.from({ length: 2000 }, (_, i) => idNumber(`${name}-${i}`));
  const filter = createIdFilter(of('req'));
  expect(filter.length).toBe(3000);
  const mistaken = Array.from({ length: 20_000 }, (_, i) => idNumber(`none-${i}`)).filter((id) =>
    mayHoldId(filter, id),
  );
  expect(mistaken.length).toBeLessThan(100);
});

it('holds nothing where no record has an id', () => {
  expect(mayHoldId(createIdFilter([0, 0]), idNumber('r'))).toBe(false);
});
