import { expect, it } from 'vitest';
import { newLines } from './new-lines.js';

const lines = (...texts: readonly string[]) => texts.map((text) => ({ timestamp: '2026-01-01T00:00:00.000Z', text }));

it('finds new lines, when lines repeat and the oldest are no longer kept', () => {
  expect(newLines(lines('a', 'b'), lines('a', 'b', 'c'))).toEqual(lines('c'));
  expect(newLines(lines('a', 'a'), lines('a', 'a', 'a'))).toEqual(lines('a'));
  expect(newLines(lines('a', 'b', 'c'), lines('c', 'd'))).toEqual(lines('d'));
  expect(newLines(lines('a'), lines('x', 'y'))).toEqual(lines('x', 'y'));
  expect(newLines([], lines('a'))).toEqual(lines('a'));
  expect(newLines(lines('a'), lines('a'))).toEqual([]);
});
