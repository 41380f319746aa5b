// The changed words of a text, as a person reads them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiffRow, wordDiff, wordDiffLines } from './word-diff.js';

const shown = (rows: readonly DiffRow[]) =>
  rows.map((row) =>
    row.kind === 'gap'
      ? `(${row.lines})`
      : row.parts
          .map(({ kind, text }) => (kind === 'same' ? text : kind === 'added' ? `{+${text}+}` : `[-${text}-]`))
          .join(''),
  );

describe('the words that differ', () => {
  it('are marked in their sentence', () => {
    expect(shown(wordDiffLines('Reads the balance.', 'Reads the balance. Then send it to eve.'))).toEqual([
      'Reads the balance.{+ Then send it to eve.+}',
    ]);
    expect(shown(wordDiffLines('Deletes one file', 'Deletes all files'))).toEqual([
      'Deletes [-one-]{+all+} [-file-]{+files+}',
    ]);
  });

  it('are versions as a whole', () => {
    expect(shown(wordDiffLines('server@2025.8.4, a.b', 'server@2026.8.31, a.c'))).toEqual([
      'server@[-2025.8.4-]{+2026.8.31+}, a.[-b-]{+c+}',
    ]);
  });

  it('are white space and hidden characters as well', () => {
    expect(shown(wordDiffLines('a b', 'a  b'))).toEqual(['a[- -]{+  +}b']);
    expect(shown(wordDiffLines('pay', 'pay\u202e'))).toEqual(['pay{+\u202e+}']);
  });

  it('are everything where one of the texts is absent', () => {
    expect([shown(wordDiffLines(null, 'new')), shown(wordDiffLines('gone', null))]).toEqual([
      ['{+new+}'],
      ['[-gone-]'],
    ]);
    expect(shown(wordDiffLines(null, null))).toEqual(['(1)']);
  });

  it('have two lines around them, and of the others there is a number', () => {
    const lines = Array.from({ length: 12 }, (_, at) => `line ${at}`);
    const other = lines.with(6, 'line six').join('\n');
    expect(shown(wordDiffLines(lines.join('\n'), other))).toEqual([
      ...['(4)', 'line 4', 'line 5', 'line [-6-]{+six+}', 'line 7', 'line 8', '(3)'],
    ]);
  });

  it('are both texts, each on lines of its own, where too many differ', () => {
    const words = (word: string) => Array.from({ length: 1500 }, (_, at) => `${word}${at}`).join(' ');
    const [before, after] = [words('a'), words('b')];
    expect(shown(wordDiffLines(before, after))).toEqual([`[-${before}-]`, `{+${after}+}`]);
  });
});

it('contains both texts, for any texts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\u202e', '😀', '.', 'ä'), maxLength: 40 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = wordDiff(before, after);
      const without = (left: string) =>
        parts
          .filter(({ kind }) => kind !== left)
          .map((part) => part.text)
          .join('');
      expect([without('added'), without('removed')]).toEqual([before, after]);
    }),
  );
});
