// Comparison of vectors: what is near, what is not comparable, and what is kept.
import { describe, expect, it } from 'vitest';
import { createVectorTable, toUnit, type VectorTable } from './vector-table.js';

const vector = (...values: readonly number[]) => Float32Array.from(values);
const similarities = (table: VectorTable, unit: Float32Array, ...keys: readonly string[]) => {
  const found = new Float32Array(keys.length);
  const comparison = table.comparedWith(unit);
  const rows = Int32Array.from(keys, table.rowOf);
  comparison.compare(rows, found, 0);
  const again = new Float32Array(keys.length + 1).fill(9);
  comparison.compareAt(rows, Int32Array.from(keys.keys()).reverse(), again, 1);
  expect(again).toEqual(Float32Array.of(9, ...found));
  return [...found];
};
const close = (value: number) => expect.closeTo(value, 2);

describe('a table of vectors', () => {
  it('compares by cosine, for any lengths', () => {
    const table = createVectorTable(2);
    table.put('same', vector(3, 0));
    table.put('across', vector(0, 0.1));
    table.put('against', vector(-7, 0));
    table.put('between', vector(1, 1));
    const query = toUnit(vector(1e-3, 0));
    const expected = [1, 0, -1, Math.SQRT1_2].map(close);
    expect(similarities(table, query, 'same', 'across', 'against', 'between')).toEqual(expected);
    expect(similarities(table, query, 'nothing')).toEqual([Number.NaN]);
  });

  it('estimates by the leading numbers', () => {
    const [table, last] = [createVectorTable(9), vector(0, 0, 0, 0, 0, 0, 0, 0, 1)];
    table.put('k', vector(1, 0, 0, 0, 0, 0, 0, 0, 1));
    const found = new Float32Array(2).fill(9);
    table.comparedWith(last).compare(Int32Array.of(table.rowOf('k')), found, 1, 8);
    expect([...found]).toEqual([9, 0]);
  });

  it('finds a vector without a direction like nothing', () => {
    const table = createVectorTable(2);
    table.put('zero', vector(0, 0));
    expect(similarities(table, toUnit(vector(1, 2)), 'zero')).toEqual([0]);
    expect(toUnit(vector(0, 0))).toEqual(vector(0, 0));
  });

  it('grows, replaces and forgets', () => {
    const table = createVectorTable(3);
    const at = (index: number) => vector(1, index, 0);
    for (let index = 0; index < 500; index += 1) table.put(`k${index}`, at(index));
    table.put('k7', vector(0, 0, 1));
    expect(table.size).toBe(500);
    const { version } = table;
    table.keep((key) => key === 'k7' || key === 'k499');
    expect(table.version).not.toBe(version);
    expect([table.size, table.has('k7'), table.has('k8')]).toEqual([2, true, false]);
    expect(similarities(table, vector(0, 0, 1), 'k7')).toEqual([close(1)]);
    expect(similarities(table, toUnit(at(499)), 'k499')).toEqual([close(1)]);
    for (let index = 0; index < 100; index += 1) table.put(`n${index}`, at(index));
    table.keep(() => true, 1000);
    expect([table.size, ...similarities(table, vector(0, 0, 1), 'k7')]).toEqual([102, close(1)]);
  });

  it('takes no vector of another length', () => {
    const table = createVectorTable(2);
    expect(() => table.put('k', vector(1))).toThrow('1 dimensions where 2 are kept');
    expect(() => table.comparedWith(vector(1, 0, 0))).toThrow(RangeError);
  });
});
