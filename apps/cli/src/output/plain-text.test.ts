// Control characters that never reach a terminal, in text of any origin.
import { describe, expect, it } from 'vitest';
import { toPlainLines, toPlainText } from './plain-text.js';

describe('plain text', () => {
  it.each([
    ['a colour', '\u001b[31mred\u001b[0m', '␛[31mred␛[0m'],
    ['a window title', '\u001b]0;owned\u0007', '␛]0;owned␇'],
    ['an 8-bit escape', '\u009b2J', '\\u009b2J'],
    ['a line end', 'one\r\ntwo', 'one␍␊two'],
    ['a tab', 'a\tb', 'a b'],
    ['letters that run backwards', 'abc\u202etxt.exe', 'abc\\u202etxt.exe'],
    ['a letter that is not seen', 'ad\u200bmin', 'ad\\u200bmin'],
    ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
    ['half a letter', '\ud800x', '\ufffdx'],
    ['a deletion', 'a\u007fb', 'a␡b'],
  ])('shows %s as it is written', (_what, text, plain) => {
    expect(toPlainText(text)).toBe(plain);
  });

  it('leaves letters of every script, and emoji of several parts, alone', () => {
    for (const text of ['Grüße', '日本語', 'سلام', '👩‍💻', '│ ✓']) expect(toPlainText(text)).toBe(text);
  });

  it('keeps lines apart where they are asked for', () => {
    expect(toPlainLines('one\r\ntwo\n\u001bthree')).toEqual(['one', 'two', '␛three']);
  });
});
