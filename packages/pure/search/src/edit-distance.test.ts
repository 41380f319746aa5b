import { expect, it } from 'vitest';
import { isOneEditApart } from './edit-distance.js';

it.each([
  ['file', 'files', true],
  ['file', 'ile', true],
  ['file', 'fine', true],
  ['file', 'fiel', true],
  ['file', 'file', false],
  ['file', 'flies', false],
  ['abcd', 'badc', false],
  ['aa', 'a', true],
  ['', 'a', true],
  ['', '', false],
  ['abc', 'cba', false],
])('one slip between %j and %j: %s', (a, b, expected) => {
  expect(isOneEditApart(a, b)).toBe(expected);
  expect(isOneEditApart(b, a)).toBe(expected);
});
