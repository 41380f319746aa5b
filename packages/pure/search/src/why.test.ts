// The explanation in an answer: why a hit is there, and how well the best one fits.
import { expect, it } from 'vitest';
import { evidenceOf, fitOf, type SearchHit, whyOf } from './index.js';

const hit = (more: Partial<SearchHit>): SearchHit => ({
  ...{ id: 's.t', score: 1, matchTypes: [], words: [], coverage: 0, similarity: null },
  ...more,
});
const known = { trust: 6, compare() {}, similarity: () => 0 };

it.each<[string, Partial<SearchHit>, string, string | undefined]>([
  ['words', { words: ['row', 'delete', 'table'], similarity: 0.4 }, 'x', 'row, delete'],
  ['a sentence', { similarity: 0.4 }, 'Takes a path.', 'near: Takes a path.'],
  ['the summary', { similarity: 0.4 }, 'Shows a folder', 'near: summary'],
  ['a long sentence', { similarity: 0.4 }, '🦊'.repeat(100), `near: ${'🦊'.repeat(40)}`],
  ['nothing without a query', {}, 'x', undefined],
])('names %s', (_what, found, phrase, expected) => {
  expect(whyOf(hit(found), 'Shows a folder', () => phrase)).toBe(expected);
});

it.each([
  [[], 'none'],
  [[{ similarity: 0.2, coverage: 0.1 }], 'none'],
  [[{ similarity: 0.2, coverage: 0.2 }], 'possible'],
  [
    [
      { similarity: 0.1, coverage: 0 },
      { similarity: null, coverage: 0.8 },
    ],
    'confident',
  ],
] as const)('judges %j as %s', (hits, fit) => {
  expect(fitOf(hits.map(hit), known)).toBe(fit);
});

it('finds any hit possible where nothing is known of cosines', () => {
  expect(evidenceOf(hit({ similarity: 0.5, coverage: 0.5 }))).toBe(1);
  expect(fitOf([hit({ similarity: 0.9, coverage: 1 })], { ...known, trust: undefined })).toBe('possible');
  expect(fitOf([hit({})], undefined)).toBe('possible');
});
