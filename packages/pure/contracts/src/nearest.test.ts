// Misspelt words, and what they are taken for.
import { expect, it } from 'vitest';
import { nearestOf, suggestion } from './nearest.js';

const known = ['elicitation', 'sampling', 'roots'];

it.each([
  ['root', 'roots'],
  ['Roots', 'roots'],
  ['rots', 'roots'],
  ['elicit', undefined],
  ['elicitatoin', 'elicitation'],
  ['samplng', 'sampling'],
  ['files', undefined],
  ['', undefined],
  ['r'.repeat(100_000), undefined],
])('takes %s for %s', (word, nearest) => {
  expect(nearestOf(word, known)).toBe(nearest);
});

it('names what is known', () => {
  expect(suggestion('root', known)).toBe('did you mean "roots"? (known are elicitation, sampling, roots)');
  expect(suggestion('files', known)).toBe('known are elicitation, sampling, roots');
});
