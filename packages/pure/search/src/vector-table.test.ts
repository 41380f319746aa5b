// Exact comparison of vectors: what is near, what is not comparable, and what is kept.
import { describe, expect, it } from 'vitest';
import { createVectorTable, toUnit } from './vector-table.js';

const vector = (...values: readonly number[]) => Float32Array.from(values);

describe('a table of vectors', () => {
  it('compares by cosine, whatever the lengths', () => {
    const table = createVectorTable(2);
    table.put('same', vector(3, 0));
    table.put('across', vector(0, 0.1));
    table.put('against', vector(-7, 0));
    table.put('between', vector(1, 1));
    const query = toUnit(vector(1e-3, 0));
    expect(['same', 'across', 'against'].map((key) => table.similarity(key, query))).toEqual([1, 0, -1]);
    expect(table.similarity('between', query)).toBeCloseTo(Math.SQRT1_2);
    expect(table.similarity('nothing', query)).toBeUndefined();
  });

  it('finds a vector without a direction like nothing', () => {
    const table = createVectorTable(2);
    table.put('zero', vector(0, 0));
    expect(table.similarity('zero', toUnit(vector(1, 2)))).toBe(0);
    expect(toUnit(vector(0, 0))).toEqual(vector(0, 0));
  });

  it('grows, replaces and forgets', () => {
    const table = createVectorTable(3);
    const at = (index: number) => vector(1, index, 0);
    for (let index = 0; index < 500; index += 1) table.put(`k${index}`, at(index));
    table.put('k7', vector(0, 0, 1));
    expect(table.size).toBe(500);
    table.keep((key) => key === 'k7' || key === 'k499');
    expect([table.size, table.has('k7'), table.has('k8')]).toEqual([2, true, false]);
    expect(table.similarity('k7', vector(0, 0, 1))).toBe(1);
    expect(table.similarity('k499', toUnit(at(499)))).toBeCloseTo(1);
    for (let index = 0; index < 100; index += 1) table.put(`n${index}`, at(index));
    expect([table.size, table.similarity('k7', vector(0, 0, 1))]).toEqual([102, 1]);
  });

  it('takes no vector of another length', () => {
    const table = createVectorTable(2);
    expect(() => table.put('k', vector(1))).toThrow('1 dimensions where 2 are kept');
    table.put('k', vector(1, 0));
    expect(() => table.similarity('k', vector(1, 0, 0))).toThrow(RangeError);
  });
});
