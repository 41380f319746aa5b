// Misspelt words, and what they are taken for.
import { expect, it } from 'vitest';
import { nearestOf, nearOnes, suggestion } from './nearest.js';

const known = ['elicitation', 'sampling', 'roots'];

it.each([
  ['root', 'roots'],
  ['Roots', 'roots'],
  ['rots', 'roots'],
  ['elicit', undefined],
  ['elicitatoin', 'elicitation'],
  ['samplng', 'sampling'],
  ['orots', 'roots'],
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

it('gives the nearest first, and no more than it is asked for', () => {
  const ids = ['files.read', 'files.reads', 'files.write', 'files.red'];
  expect(nearOnes('files.redx', ids)).toEqual(['files.red', 'files.read', 'files.reads']);
  expect(nearOnes('files.redx', ids, 1)).toEqual(['files.red']);
  expect(nearOnes('memory.search', ids)).toEqual([]);
});
