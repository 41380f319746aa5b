import { expect, test } from 'vitest';
import { toPieces, toVisible } from './visible.js';

test('plain text, accents, emoji and line breaks stay as they are', () => {
  const text = 'Grüße, 日本語 👋\n\tdone';
  expect(toPieces(text)).toEqual([{ text, isHidden: false }]);
});

test('direction marks, controls and what takes no place are named', () => {
  expect(toVisible('a\u202Etxt.exe\u200B\u001B[31m')).toBe('a<U+202E>txt.exe<U+200B><U+001B>[31m');
  expect(toVisible('\u{E0041}\uD800\r')).toBe('<U+E0041><U+D800><U+000D>');
});

test('what stands for a hidden character is told from the same text written out', () => {
  expect(toPieces('<U+202E>\u202E')).toEqual([
    { text: '<U+202E>', isHidden: false },
    { text: '<U+202E>', isHidden: true },
  ]);
});
