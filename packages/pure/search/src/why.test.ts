// The explanation in an answer: why a hit is there, and how well the best one fits.
import { expect, it } from 'vitest';
import { briefly, evidenceOf, fitOf, type SearchHit, whyOf } from './index.js';

const hit = (more: Partial<SearchHit>): SearchHit => ({
  ...{ id: 's.t', score: 1, matchTypes: [], words: [], coverage: 0, similarity: null, above: null, lead: 0 },
  ...more,
});
const known = { trust: 6, compare() {}, compareAt() {} };

it.each<[string, Partial<SearchHit>, string, string | undefined]>([
  ['words', { words: ['row', 'delete', 'table'], similarity: 0.4 }, 'x', 'row, delete'],
  ['a sentence', { similarity: 0.4 }, 'Takes a path.', 'near: Takes a path.'],
  ['the summary', { similarity: 0.4 }, 'Shows a folder', 'near: summary'],
  ['a long sentence', { similarity: 0.4 }, '🦊'.repeat(100), `near: ${'🦊'.repeat(40)}`],
  ['nothing without a query', {}, 'x', undefined],
])('names %s', (_what, found, phrase, expected) => {
  expect(whyOf(hit(found), 'Shows a folder', () => phrase)).toBe(expected);
});

it.each<[readonly Partial<SearchHit>[], string]>([
  [[], 'none'],
  [[{ above: 0.2, coverage: 0.1 }], 'none'],
  [[{ above: 0.2, coverage: 0.3 }], 'possible'],
  [[{ above: -0.2, coverage: 1 }], 'possible'],
  [[{ above: 0.2, coverage: 0.3, lead: 0.7 }], 'confident'],
  [[{ above: 0.1 }, { above: 0.4, coverage: 0.6 }], 'confident'],
  [[{ above: 0.4 }, { coverage: 0.6 }], 'possible'], // of two hits, which do not add up
  [[{ above: 0.4, lead: 0.1 }, { lead: 0.9 }], 'possible'],
])('judges %j as %s', (hits, fit) => {
  expect(fitOf(hits.map(hit), known)).toBe(fit);
});

it('finds any hit possible where nothing is known of cosines', () => {
  const sure = [hit({ above: 0.5, coverage: 0.5, lead: 1 })];
  expect(evidenceOf(sure)).toBe(1.25);
  expect(fitOf(sure, { ...known, trust: undefined })).toBe('possible');
  expect(fitOf([hit({})], undefined)).toBe('possible');
});

it('leaves out what comes after the fifth and has less than 65% of the best score, where cosines are known', () => {
  const hits = [1, 0.5, 0.5, 0.5, 0.5, 0.65, 0.65, 0.64].map((score) => hit({ score }));
  expect(briefly(hits, known)).toEqual(hits.slice(0, 7));
  expect(briefly(hits, undefined)).toEqual(hits);
  expect(briefly([], known)).toEqual([]);
});
