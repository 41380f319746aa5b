// Search where vectors take part: which entries are near enough, how the two rankings become one, and what never changes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSearchIndex, type SearchQuery } from './index.js';
import { documentOf } from './testing/documents.js';
import { meaningBy } from './testing/meaning.js';

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
  index.search(
    { text, limit: 10, ...rest },
    meaningBy((id) => similarities[id]),
  );
const idsOf = (...args: Parameters<typeof find>) => find(...args).map(({ id }) => id);
const allAt = (similarity: number): Similarities => Object.fromEntries(documents.map(({ id }) => [id, similarity]));

describe('what is near', () => {
  it('is a hit without any word in common', () => {
    expect(find('zzz', { ...allAt(0.1), 'web.fetch': 0.75 })).toEqual([
      {
        id: 'web.fetch',
        score: 0.6,
        matchTypes: ['semantic'],
        words: [],
        coverage: 0,
        similarity: 0.75,
        above: expect.closeTo(0.65),
        lead: 0.6,
      },
    ]);
  });

  it('is what stands out, on any scale of the model', () => {
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
    const hits = many.search(
      { text: 'zzz', limit: 100 },
      meaningBy((id) => (id < 's.t120' ? 0.9 : 0.1)),
    );
    expect(hits.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, at) => `s.t${100 + at}`));
  });

  it('is decided among what has a vector', () => {
    expect(idsOf('zzz', { 'web.fetch': 0.4, 'disk.list': 0.1 })).toEqual(['web.fetch']);
    expect(idsOf('letter', {})).toEqual(['mail.archive', 'mail.send']);
  });
});

describe('fused scores', () => {
  it('are 0.6 of the way to the nearest entry and 0.4 of the best score by words', () => {
    const hits = find('letter', { ...allAt(0), 'mail.send': 0.9, 'web.fetch': 0.8 });
    const [send, archive] = index.search({ text: 'letter', limit: 10 }).map(({ score }) => score);
    expect(hits).toMatchObject([
      { id: 'mail.send', matchTypes: ['lexical', 'semantic'], words: ['letter'] },
      { id: 'web.fetch', matchTypes: ['semantic'], words: [] },
      { id: 'mail.archive', matchTypes: ['lexical'], words: ['letter'] },
    ]);
    expect([send, archive]).toEqual([send, send]);
    const mean = 1.7 / documents.length;
    expect(hits.map(({ score }) => score)).toEqual(
      [1, 0.6 * ((0.8 - mean) / (0.9 - mean)), 0.4].map((score) => expect.closeTo(score, 3)),
    );
  });

  it('count the meaning more the more it stands out, where its cosines are known', () => {
    const scoreOf = (nearest: number) =>
      index
        .search(
          { text: 'page', limit: 10 },
          meaningBy((id) => (id === 'disk.copy' ? nearest : 0), 5),
        )
        .find(({ id }) => id === 'disk.copy')?.score ?? 0;
    expect(scoreOf(0.2)).toBeLessThan(scoreOf(0.4));
    expect(scoreOf(0.4)).toBeLessThan(scoreOf(0.8));
  });

  it('take no word of the language for a slip of another', () => {
    const meaning = meaningBy((id) => (id === 'web.fetch' ? 0.9 : 0.1), 1);
    const wordsOf = (isWord?: (token: string) => boolean) =>
      index.search({ text: 'latter', limit: 10 }, { ...meaning, isWord }).flatMap(({ words }) => words);
    expect(wordsOf()).toEqual(['latter', 'latter']); // one slip from `letter`, which two of them have
    expect(wordsOf((token) => token === 'latter')).toEqual([]);
  });

  it('lead the next hit with any limit', () => {
    const similarities = { ...allAt(0), 'web.fetch': 0.9, 'disk.list': 0.6 };
    const [first, second] = find('zzz', similarities);
    expect(first?.lead).toBeCloseTo((first?.score ?? 0) - (second?.score ?? 0));
    expect(second?.lead).toBe(second?.score);
    expect(find('zzz', similarities, { limit: 1 })).toEqual([first]);
    expect(first?.above).toBeCloseTo(0.9 - 0.6 / 5); // the average of the others
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
        const hits = index.search(
          query,
          meaningBy((id) => similarities[id]),
        );
        const allowed = index.search({ ...query, text: '', limit: 100 }).map(({ id }) => id);
        const ids = hits.map(({ id }) => id);
        expect(hits.length).toBeLessThanOrEqual(query.limit);
        expect(new Set(ids).size).toBe(ids.length);
        expect(allowed).toEqual(expect.arrayContaining(ids));
        expect([...hits].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))).toEqual(hits);
        const lexical = index.search({ ...query, limit: 100 }).map(({ id }) => id);
        const fused = index
          .search(
            { ...query, limit: 100 },
            meaningBy((id) => similarities[id]),
          )
          .map(({ id }) => id);
        expect(fused).toEqual(expect.arrayContaining(lexical));
      }),
    );
  });

  it('does not depend on the order of the documents', () => {
    fc.assert(
      fc.property(anySimilarities, anyQuery, (similarities, query) => {
        const other = createSearchIndex([...documents].reverse());
        const meaning = meaningBy((id) => similarities[id]);
        expect(other.search(query, meaning)).toEqual(index.search(query, meaning));
      }),
    );
  });
});
