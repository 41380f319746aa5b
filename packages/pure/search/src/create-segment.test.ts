import { finish } from '@portico/async';
import { expect, it } from 'vitest';
import { createSegmentInSteps } from './create-segment.js';
import type { SearchDocument } from './search-document.js';
import { documentOf } from './testing/documents.js';

const segmentOf = (...documents: readonly SearchDocument[]) => finish(createSegmentInSteps(documents));
const postingsOf = (segment: ReturnType<typeof segmentOf>, stem: string) => {
  const found = segment.postings.get(stem);
  if (found === undefined) throw new Error(`no document has ${stem}`);
  const { segment: _, ...postings } = found;
  return postings;
};

it('counts a term three times in a field at most, in each field for itself, for any words of that term', () => {
  const segment = segmentOf(
    documentOf('s.one', { summary: 'connect', description: 'connect connected connection connections' }),
    documentOf('s.two', { description: 'other' }),
    documentOf('s.three', { summary: 'connections', argumentNames: ['connect', 'connected'] }),
  );
  expect(postingsOf(segment, 'connect')).toEqual({
    positions: [0, 2],
    nameWeights: [0, 0],
    textWeights: [4, 3],
    words: ['connect', 'connected', 'connection', 'connections'],
  });
  expect(segment.textLengths).toEqual([5, 1, 3]);
});

it('weighs a name as the strongest that holds it', () => {
  const segment = segmentOf(
    documentOf('git.git', { tags: ['git', 'vcs'] }),
    documentOf('git.log', { tags: ['git'] }),
    documentOf('git.show', { id: 'git_peek' }),
  );
  expect(postingsOf(segment, 'git').nameWeights).toEqual([3, 2, 1]);
  expect(postingsOf(segment, 'vc').nameWeights).toEqual([2]);
  expect(postingsOf(segment, 'peek')).toMatchObject({ positions: [2], nameWeights: [3] });
  expect(segment.nameLengths).toEqual([1, 1, 2]);
});

it('takes the later of two documents with one id', () => {
  const segment = segmentOf(documentOf('s.t', { summary: 'first' }), documentOf('s.t', { summary: 'second' }));
  expect(segment.documents.map(({ summary }) => summary)).toEqual(['second']);
  expect([segment.postings.has('first'), segment.postings.has('second')]).toEqual([false, true]);
});
