import { expect, it } from 'vitest';
import { PendingTable } from './pending-requests.js';

it('finds what waits by its id, and nothing else', () => {
  const table = new PendingTable<{ readonly id: number }>();
  table.add({ id: 1 });
  expect(table.get(1)).toEqual({ id: 1 });
  for (const id of [0, 257, -255, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) expect(table.get(id)).toBeUndefined();
  expect(table.take(257)).toBeUndefined();
  expect(table.get(1)).toEqual({ id: 1 });
  expect(table.take(1)).toEqual({ id: 1 });
  expect(table.get(1)).toBeUndefined();
});

it('keeps what waits long while later ones come and go, as a Map does', () => {
  const table = new PendingTable<{ readonly id: number }>();
  const known = new Map<number, { readonly id: number }>();
  let seed = 7;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed;
  };
  for (let id = 1; id <= 20_000; id += 1) {
    const item = { id };
    table.add(item);
    known.set(id, item);
    while (known.size > 0 && next() % 100 < 40 + known.size / 40) {
      const ids = [...known.keys()];
      const over = ids[next() % 10 === 0 ? 0 : ids.length - 1 - (next() % Math.min(ids.length, 64))] ?? 0;
      expect(table.take(over)).toBe(known.get(over));
      known.delete(over);
    }
    const some = 1 + (next() % id);
    expect(table.get(some)).toBe(known.get(some));
  }
  expect(table.all()).toEqual([...known.values()]);
  expect(known.size).toBeGreaterThan(256);
});
