import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptLines, type WritableLine } from './memory-audit-log.js';

const line = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed()),
  fc.integer({ min: 0, max: 300_000 }).map((length) => 'ü'.repeat(length)),
);
const step = fc.oneof({ weight: 5, arbitrary: line }, { weight: 2, arbitrary: fc.constant(null) });

const lineOf = (text: string): WritableLine => ({
  maxBytes: text.length * 3,
  writeLine: (into, at) => Buffer.from(text).copy(into, at),
});

const textsOf = (lines: KeptLines) =>
  Array.from({ length: lines.next - lines.first }, (_, index) => lines.at(lines.first + index));

describe('lines that are kept', () => {
  it('are what a list of texts would be, over additions and removals', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const lines = new KeptLines();
        const expected: string[] = [];
        let dropped = 0;
        for (const given of steps) {
          if (given !== null) {
            lines.add(lineOf(given));
            expected.push(given);
          } else if (lines.next > lines.first) {
            lines.dropFirst();
            expected.shift();
            dropped += 1;
          }
          expect(lines.next - lines.first).toBe(expected.length);
          expect(lines.first).toBe(dropped);
          expect(lines.bytes).toBe(expected.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
        }
        expect(textsOf(lines)).toEqual(expected);
        expected.forEach((text, index) => {
          expect(lines.bytesOf(dropped + index)).toBe(Buffer.byteLength(text));
        });
      }),
    );
  });

  it('stay for a reader that took a snapshot', () => {
    const lines = new KeptLines();
    for (let n = 0; n < 20_000; n += 1) lines.add(lineOf(`line ${n} of many, so that they are in more than one block`));
    const then = lines.now();
    for (let n = 0; n < 20_000; n += 1) {
      lines.dropFirst();
      lines.add(lineOf('another'));
    }
    expect([then.first, then.next, lines.first]).toEqual([0, 20_000, 20_000]);
    expect(then.at(0)).toBe('line 0 of many, so that they are in more than one block');
    expect(then.at(19_999)).toContain('line 19999');
  });

  it('are not there before and after', () => {
    const lines = new KeptLines();
    lines.add(lineOf('a'));
    lines.add(lineOf('b'));
    lines.dropFirst();
    expect(() => lines.at(2)).toThrow('no line 2 is kept');
    expect(lines.at(1)).toBe('b');
  });
});
