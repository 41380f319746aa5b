import { expect, test } from 'vitest';
import { isComplete, readOptions } from './options.js';

const known = ['calls', 'list', 'search'];

test('runs everything in five rounds at full size where no flag says otherwise', () => {
  const options = readOptions([], known);

  expect(options).toEqual({ only: [], rounds: 5, isQuick: false });
  expect(isComplete(options)).toBe(true);
});

test('runs the scenarios that are named, in as many rounds as are wanted, and writes nothing down', () => {
  const options = readOptions(['--only', 'list,search', '--rounds', '2', '--quick'], known);

  expect(options).toEqual({ only: ['list', 'search'], rounds: 2, isQuick: true });
  expect(isComplete(options)).toBe(false);
  expect(isComplete(readOptions(['--quick'], known))).toBe(false);
  expect(isComplete(readOptions(['--rounds', '2'], known))).toBe(false);
});

test.each([
  [['--only', 'list,speed'], '--only: no scenario "speed"; there are calls, list, search'],
  [['--rounds', '0'], '--rounds: 0 is no number from 1 on'],
  [['--rounds', 'many'], '--rounds: many is no number from 1 on'],
])('refuses %j', (argv, message) => {
  expect(() => readOptions(argv, known)).toThrow(message);
});
