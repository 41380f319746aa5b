// Summaries as agents read them in the compact list.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstSentence } from './summary.js';

describe('firstSentence', () => {
  it.each([
    ['', ''],
    ['Adds two numbers', 'Adds two numbers'],
    ['Adds two numbers. Returns the sum.', 'Adds two numbers.'],
    ['Really? Yes.', 'Really?'],
    ['Deletes a file! Be careful.', 'Deletes a file!'],
    ['Version 2.0 of the tool. More.', 'Version 2.0 of the tool.'],
    ['Reads a file, e.g. a text. More.', 'Reads a file, e.g. a text.'],
    ['Searches services, e.g. GitHub or GitLab. More.', 'Searches services, e.g. GitHub or GitLab.'],
    ['Reads the main branch, i.e. HEAD. More.', 'Reads the main branch, i.e. HEAD.'],
    ['ends in abc. Next', 'ends in abc.'],
    ['Reads\n  a file\tfrom disk.\nMore.', 'Reads a file from disk.'],
    ['\n\n  Reads a file\n\nSecond paragraph', 'Reads a file'],
    ['Reads a file\r\n\r\nSecond paragraph', 'Reads a file'],
    ['读取文件。返回内容。', '读取文件。'],
    ['本当に？はい。', '本当に？'],
  ])('of %j is %j', (description, summary) => {
    expect(firstSentence(description)).toBe(summary);
  });

  it('keeps 160 characters and cuts a longer sentence with an ellipsis', () => {
    expect(firstSentence('x'.repeat(160))).toBe('x'.repeat(160));
    expect(firstSentence('x'.repeat(161))).toBe(`${'x'.repeat(159)}…`);
    expect(firstSentence(`${'x'.repeat(158)} yz`)).toBe(`${'x'.repeat(158)}…`);
  });

  it('counts characters, not code units, and never cuts one in half', () => {
    expect(firstSentence('😀'.repeat(160))).toBe('😀'.repeat(160));
    expect(firstSentence('😀'.repeat(161))).toBe(`${'😀'.repeat(159)}…`);
    expect(firstSentence(`a${' '.repeat(3998)}😀`)).toBe('a');
  });

  it('finds the text behind a long run of white space', () => {
    expect(firstSentence(`${' \n'.repeat(5000)}Reads a file.`)).toBe('Reads a file.');
  });

  it('takes no time for hostile text', () => {
    for (const piece of [' ', '\n', '\n ', '.', '. ', '{', 'e.g.', 'a.'.repeat(3), '\u3000']) {
      expect(firstSentence(`a${piece.repeat(1_000_000)}`).length).toBeLessThanOrEqual(160);
    }
  });

  it('is one line of at most 160 characters that is valid text, of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (description) => {
        const summary = firstSentence(description);
        expect([...summary].length).toBeLessThanOrEqual(160);
        expect(summary).not.toMatch(/[\n\r\t]|\p{Surrogate}/u);
      }),
    );
  });
});
