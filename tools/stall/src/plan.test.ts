// The random choices of a seed, and the processes that a stall takes.
import { expect, test } from 'vitest';
import { createRandom } from '../../faults/src/random.js';
import { type Candidate, chooseProcesses, drawStall, type Stall } from './plan.js';

const draws = (seed: number) => {
  const random = createRandom(seed, 'stalls', 0);
  return Array.from({ length: 200 }, () => drawStall(random));
};

test('the same seed draws the same stalls, and another seed others', () => {
  expect(draws(7)).toEqual(draws(7));
  expect(draws(8)).not.toEqual(draws(7));
});

test('a stall lasts from 50 ms to 1.5 s, and stalls of every reach are drawn', () => {
  const drawn = draws(7);
  expect(drawn.every(({ ms, afterMs }) => ms >= 50 && ms <= 1500 && afterMs >= 10 && afterMs <= 900)).toBe(true);
  expect([...new Set(drawn.map(({ reach }) => reach))].sort()).toEqual(['all', 'family', 'one']);
});

const candidates: readonly Candidate[] = [
  { pid: 10, parent: 1, kind: 'daemon' },
  { pid: 11, parent: 10, kind: 'upstream' },
  { pid: 12, parent: 10, kind: 'upstream' },
  { pid: 20, parent: 1, kind: 'daemon' },
  { pid: 30, parent: 1, kind: 'postgres' },
  { pid: 31, parent: 30, kind: 'postgres' },
];
const pidsOf = (stall: Partial<Stall>) =>
  chooseProcesses({ afterMs: 0, ms: 50, reach: 'one', kindAt: 0, processAt: 0, ...stall }, candidates).map(
    ({ pid }) => pid,
  );

test('the kinds that are present share the draw equally, and so do the processes of a kind', () => {
  expect(pidsOf({ kindAt: 0 })).toEqual([10]);
  expect(pidsOf({ kindAt: 0, processAt: 0.99 })).toEqual([20]);
  expect(pidsOf({ kindAt: 0.4, processAt: 0.5 })).toEqual([12]);
  expect(pidsOf({ kindAt: 0.7 })).toEqual([30]);
  expect(pidsOf({ kindAt: 1, processAt: 1 })).toEqual([31]);
});

test('a family is a process and what it has started', () => {
  expect(pidsOf({ reach: 'family' })).toEqual([10, 11, 12]);
  expect(pidsOf({ reach: 'family', kindAt: 0.99 })).toEqual([30, 31]);
  expect(pidsOf({ reach: 'family', kindAt: 0.4 })).toEqual([11]);
});

test('a stall of all takes every process of the product, and no process if there are none', () => {
  expect(pidsOf({ reach: 'all' })).toEqual([10, 11, 12, 20, 30, 31]);
  const stall: Stall = { afterMs: 0, ms: 50, reach: 'one', kindAt: 0, processAt: 0 };
  expect(chooseProcesses(stall, [])).toEqual([]);
});
