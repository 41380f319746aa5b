import { parseExact } from '@portico/contracts';
import { expect, test } from 'vitest';
import { cutText, toPieces, toVisible, toVisibleJson } from './visible.js';

test('plain text, accents, emoji and line breaks stay as they are', () => {
  const text = 'Grüße, 日本語 👋\n\tdone';
  expect(toPieces(text)).toEqual([{ text, isHidden: false }]);
});

test('direction marks, controls and what takes no place are named', () => {
  expect(toVisible('a\u202Etxt.exe\u200B\u001B[31m')).toBe('a<U+202E>txt.exe<U+200B><U+001B>[31m');
  expect(toVisible('\u{E0041}\uD800\r')).toBe('<U+E0041><U+D800><U+000D>');
});

test('the name of a hidden character differs from the same text written out', () => {
  expect(toPieces('<U+202E>\u202E')).toEqual([
    { text: '<U+202E>', isHidden: false },
    { text: '<U+202E>', isHidden: true },
  ]);
});

test('JSON to edit has hidden characters as escapes, and is the same value', () => {
  const value = { 'to\u200B': '\u202Ebob\u{E0041}', plain: 'Grüße\n👋' };
  const text = toVisibleJson(value);
  expect(text).toBe('{\n  "to\\u200b": "\\u202ebob\\udb40\\udc41",\n  "plain": "Grüße\\n👋"\n}');
  expect(JSON.parse(text)).toEqual(value);
});

test('JSON to edit has every digit of its numbers', () => {
  const text = '{\n  "id": 1098765432109876543,\n  "n": 1e400\n}';
  expect(toVisibleJson(parseExact(text))).toBe(text);
});

test.each([
  ['abc', 2, 'ab'],
  ['abc', 9, 'abc'],
  ['a\u{1F600}b', 2, 'a'],
  ['a\u{1F600}b', 3, 'a\u{1F600}'],
  ['\uD83Dab', 1, '\uD83D'],
])('%j cut to %i is %j', (text, length, cut) => {
  expect(cutText(text, length)).toBe(cut);
});
