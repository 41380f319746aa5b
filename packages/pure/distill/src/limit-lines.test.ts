import { describe, expect, it } from 'vitest';
import { limitLines } from './limit-lines.js';

describe('limitLines', () => {
  it.each([
    ['', 1, ''],
    ['a', 1, 'a'],
    ['a\n', 1, 'a\n'],
    ['a\nb', 1, 'a\n[… 1 more lines]'],
    ['a\nb\n', 1, 'a\n[… 1 more lines]'],
    ['a\nb\nc\nd', 2, 'a\nb\n[… 2 more lines]'],
    ['a\nb\nc\n', 3, 'a\nb\nc\n'],
    ['\n\n\n', 1, '\n[… 2 more lines]'],
    ['a\r\nb\r\nc', 1, 'a\r\n[… 2 more lines]'],
  ])('%j to %i lines is %j', (text, maxLines, limited) => {
    expect(limitLines(text, maxLines)).toBe(limited);
  });
});
