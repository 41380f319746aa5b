// Search where vectors take part: which entries are near enough, how the two rankings become one, and what never changes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSearchIndex, type SearchDocument, type SearchQuery } from './index.js';

function documentOf(id: string, rest: Partial<SearchDocument> = {}): SearchDocument {
  const [server = '', tool = ''] = id.split('.');
  return { id, server, tool, summary: '', description: '', tags: [], argumentNames: [], mode: 'write', ...rest };
}

const documents = [
  documentOf('mail.send', { description: 'Sends a letter', tags: ['post'] }),
  documentOf('mail.archive', { description: 'Puts letters away', mode: 'read' }),
  documentOf('disk.copy', { description: 'Duplicates something', tags: ['tree'] }),
  documentOf('disk.remove', { description: 'Deletes something' }),
  documentOf('disk.list', { description: 'Shows a folder', mode: 'read' }),
  documentOf('web.fetch', { description: 'Loads a page' }),
];
const index = createSearchIndex(documents);

type Similarities = Readonly<Record<string, number>>;
const find = (text: string, similarities: Similarities, rest: Partial<SearchQuery> = {}) =>
  index.search({ text, limit: 10, ...rest }, (id) => similarities[id]);
const idsOf = (...args: Parameters<typeof find>) => find(...args).map(({ id }) => id);
const allAt = (similarity: number): Similarities => Object.fromEntries(documents.map(({ id }) => [id, similarity]));

describe('what is near', () => {
  it('is a hit without any word in common', () => {
    expect(find('zzz', { ...allAt(0.1), 'web.fetch': 0.8 })).toEqual([
      { id: 'web.fetch', score: 0.5, matchTypes: ['semantic'] },
    ]);
  });

  it('is what stands out, on whatever scale the model has', () => {
    const similarities = { ...allAt(0.1), 'web.fetch': 0.8, 'disk.list': 0.7, 'disk.copy': 0.3 };
    expect(idsOf('zzz', similarities)).toEqual(['web.fetch', 'disk.list']);
    const narrow = Object.fromEntries(Object.entries(similarities).map(([id, one]) => [id, 0.8 + one / 10]));
    expect(idsOf('zzz', narrow)).toEqual(['web.fetch', 'disk.list']);
  });

  it('is nothing where nothing is alike, or all is alike', () => {
    expect(idsOf('zzz', allAt(0))).toEqual([]);
    expect(idsOf('zzz', allAt(0.7))).toEqual([]);
    expect(idsOf('zzz', { ...allAt(-0.5), 'disk.list': -0.1 })).toEqual([]);
    expect(idsOf('zzz', { 'disk.list': 0.9 })).toEqual([]);
  });

  it('are ten at most', () => {
    const many = createSearchIndex(Array.from({ length: 100 }, (_, at) => documentOf(`s.t${100 + at}`)));
    const hits = many.search({ text: 'zzz', limit: 100 }, (id) => (id < 's.t120' ? 0.9 : 0.1));
    expect(hits.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, at) => `s.t${100 + at}`));
  });

  it('is decided among what has a vector', () => {
    expect(idsOf('zzz', { 'web.fetch': 0.4, 'disk.list': 0.1 })).toEqual(['web.fetch']);
    expect(idsOf('letter', {})).toEqual(['mail.archive', 'mail.send']);
  });
});

describe('fused ranks', () => {
  it('are the sums of 1 / (60 + place), 1 for what is first in both', () => {
    const hits = find('letter', { ...allAt(0), 'mail.send': 0.9, 'web.fetch': 0.8 });
    const share = (...places: readonly number[]) =>
      Number(places.reduce((sum, place) => sum + 30.5 / (60 + place), 0).toFixed(4));
    expect(hits).toEqual([
      { id: 'mail.send', score: share(2, 1), matchTypes: ['lexical', 'semantic'] },
      { id: 'mail.archive', score: share(1), matchTypes: ['lexical'] },
      { id: 'web.fetch', score: share(2), matchTypes: ['semantic'] },
    ]);
    expect(find('letter', { ...allAt(0), 'mail.archive': 0.9 })[0]?.score).toBe(1);
  });

  it('go by id where they are equal', () => {
    expect(idsOf('page', { ...allAt(0), 'disk.copy': 0.9 })).toEqual(['disk.copy', 'web.fetch']);
  });

  it('keep saying that a tag matched', () => {
    const similarities = { ...allAt(0), 'disk.copy': 0.9 };
    expect(find('zzz', similarities, { tags: ['tree'] })[0]?.matchTypes).toEqual(['semantic', 'tag']);
    expect(find('tree', similarities)[0]?.matchTypes).toEqual(['lexical', 'semantic', 'tag']);
  });

  it('leave a search without a query as it is', () => {
    const plain = index.search({ limit: 10 });
    expect(find('', { ...allAt(0), 'web.fetch': 1 })).toEqual(plain);
    expect(find(' \n', { ...allAt(0), 'web.fetch': 1 })).toEqual(plain);
  });
});

describe('filters', () => {
  const similarities = { ...allAt(0.1), 'web.fetch': 0.9, 'disk.list': 0.85, 'mail.send': 0.8 };
  it.each<[string, Partial<SearchQuery>, readonly string[]]>([
    ['servers', { serverIds: ['disk', 'mail'] }, ['disk.list', 'mail.send']],
    ['no servers', { serverIds: [] }, []],
    ['tags', { tags: ['post'] }, ['mail.send']],
    ['no tags', { tags: [] }, []],
    ['modes', { modes: ['read'] }, ['disk.list']],
    ['visibility', { isVisible: (id) => id !== 'web.fetch' }, ['disk.list', 'mail.send']],
    ['everything hidden', { isVisible: () => false }, []],
    ['the limit', { limit: 1 }, ['web.fetch']],
  ])('count before the ranking: %s', (_what, filter, expected) => {
    expect(idsOf('zzz', similarities, filter)).toEqual(expected);
  });

  it('never let what is hidden decide what is near', () => {
    const isVisible = (id: string) => !id.startsWith('disk.');
    const visible = { 'mail.send': 0.5, 'mail.archive': 0.3, 'web.fetch': 0.1 };
    const hidden = (similarity: number) => ({
      ...visible,
      'disk.copy': similarity,
      'disk.list': similarity,
      'disk.remove': similarity,
    });
    const answers = [0, 0.3, 0.9].map((similarity) => find('zzz', hidden(similarity), { isVisible }));
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
  });
});

const anySimilarities = fc.record(
  Object.fromEntries(documents.map(({ id }) => [id, fc.double({ min: -1, max: 1, noNaN: true })])),
  { requiredKeys: [] },
) as fc.Arbitrary<Similarities>;
const anyQuery: fc.Arbitrary<SearchQuery> = fc.record(
  {
    text: fc.constantFrom('letter', 'something page', 'zzz', ''),
    limit: fc.integer({ min: 1, max: 10 }),
    serverIds: fc.subarray(['mail', 'disk', 'web']),
    tags: fc.subarray(['post', 'tree']),
    modes: fc.subarray(['read', 'write'] as const),
  },
  { requiredKeys: ['limit', 'text'] },
);

describe('every fused search', () => {
  it('gives what the filters let pass, each once, by score and id, and all that words find where there is room', () => {
    fc.assert(
      fc.property(anySimilarities, anyQuery, (similarities, query) => {
        const hits = index.search(query, (id) => similarities[id]);
        const allowed = index.search({ ...query, text: '', limit: 100 }).map(({ id }) => id);
        const ids = hits.map(({ id }) => id);
        expect(hits.length).toBeLessThanOrEqual(query.limit);
        expect(new Set(ids).size).toBe(ids.length);
        expect(allowed).toEqual(expect.arrayContaining(ids));
        expect([...hits].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))).toEqual(hits);
        const lexical = index.search({ ...query, limit: 100 }).map(({ id }) => id);
        const fused = index.search({ ...query, limit: 100 }, (id) => similarities[id]).map(({ id }) => id);
        expect(fused).toEqual(expect.arrayContaining(lexical));
      }),
    );
  });

  it('does not depend on the order of the documents', () => {
    fc.assert(
      fc.property(anySimilarities, anyQuery, (similarities, query) => {
        const other = createSearchIndex([...documents].reverse());
        const similarityOf = (id: string) => similarities[id];
        expect(other.search(query, similarityOf)).toEqual(index.search(query, similarityOf));
      }),
    );
  });
});
