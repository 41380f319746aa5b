// The order of every list: the one that any language gets which compares code points.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareCodePoints, sortById } from './code-point-order.js';

const text = fc.string({
  unit: fc.oneof(fc.constantFrom('a', 'b', '.', '\uffff', '\ue000'), fc.string({ unit: 'binary' })),
});

/** The definition, spelt out: the first code point that differs decides, else the shorter text comes first. */
function byDefinition(a: string, b: string): number {
  const [x, y] = [a, b].map((value) => Array.from(value, (character) => character.codePointAt(0) ?? 0)) as [
    number[],
    number[],
  ];
  const at = x.findIndex((point, i) => point !== y[i]);
  if (at === -1) return Math.sign(x.length - y.length);
  const other = y[at];
  return other === undefined ? 1 : Math.sign((x[at] ?? 0) - other);
}

describe('compareCodePoints', () => {
  it('puts a character beyond U+FFFF after every other, where code units would not', () => {
    const sorted = ['\u{10000}', '\uffff', '\ue000', 'z', 'Z', ''].sort(compareCodePoints);
    expect(sorted).toEqual(['', 'Z', 'z', '\ue000', '\uffff', '\u{10000}']);
  });

  it('compares any two texts as their code points', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b)) + 0).toBe(byDefinition(a, b) + 0);
      }),
    );
  });

  it('is an order: the same list from every earlier order', () => {
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const sorted = [...texts].sort(compareCodePoints);
        expect([...texts].reverse().sort(compareCodePoints)).toEqual(sorted);
      }),
    );
  });
});

it('sortById gives the order of compareCodePoints for all characters', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.string())), (ids) => {
      const entries = ids.map((id) => ({ id }));
      sortById(entries);
      expect(entries.map(({ id }) => id)).toEqual([...ids].sort(compareCodePoints));
    }),
  );
});
