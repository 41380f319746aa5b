import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSearchIndex, type SearchDocument, type SearchQuery } from './index.js';

const word = fc.constantFrom(
  'read',
  'write',
  'file',
  'files',
  'graph',
  'getUser',
  'list_tables',
  '查询',
  'utf8',
  'the',
  'café',
);
const words = fc.array(word, { maxLength: 6 }).map((list) => list.join(' '));
const anyText = fc.oneof(words, fc.string({ unit: 'binary', maxLength: 40 }));
/** The beginning of a word, or one with a letter missing. */
const partOfWord = fc
  .tuple(word, fc.nat({ max: 8 }), fc.nat({ max: 1 }))
  .map(([whole, at, missing]) => whole.slice(0, at) + (missing === 1 ? whole.slice(at + 1) : ''));
const server = fc.constantFrom('git', 'files', 'memory', 'sql');
const tags = fc.array(fc.constantFrom('file', 'graph', 'data'), { maxLength: 2 });

const anyDocument = fc
  .record({
    server,
    tool: fc.oneof(word, fc.string({ unit: 'grapheme', maxLength: 8 })),
    summary: anyText,
    description: anyText,
    tags,
    argumentNames: fc.array(word, { maxLength: 3 }),
    mode: fc.constantFrom('read' as const, 'write' as const),
  })
  .map((document): SearchDocument => ({ ...document, id: `${document.server}.${document.tool}` }));

const anyDocuments = fc.uniqueArray(anyDocument, { selector: (document) => document.id, maxLength: 25 });

const anyQuery: fc.Arbitrary<SearchQuery> = fc.record(
  {
    text: fc.option(fc.oneof(anyText, partOfWord)),
    limit: fc.integer({ min: 1, max: 30 }),
    serverIds: fc.array(server, { maxLength: 3 }),
    tags,
    modes: fc.subarray(['read', 'write'] as const),
  },
  { requiredKeys: ['limit'] },
);

describe('every search', () => {
  it('returns only what the filters and the visibility check let pass, each id once, at most limit', () => {
    fc.assert(
      fc.property(anyDocuments, anyQuery, fc.func(fc.boolean()), (documents, query, isVisible) => {
        const byId = new Map(documents.map((document) => [document.id, document]));
        const hits = createSearchIndex(documents).search({ ...query, isVisible });
        expect(hits.length).toBeLessThanOrEqual(query.limit);
        expect(new Set(hits.map((hit) => hit.id)).size).toBe(hits.length);
        for (const { id } of hits) {
          // Every hit is one of the documents that were indexed.
          const document = byId.get(id)!;
          expect(isVisible(id)).toBe(true);
          if (query.serverIds) expect(query.serverIds).toContain(document.server);
          if (query.modes) expect(query.modes).toContain(document.mode);
          if (query.tags) expect(document.tags).toEqual(expect.arrayContaining([...query.tags]));
          if (query.tags) expect(query.tags).not.toEqual([]);
        }
      }),
    );
  });

  it('is sorted by score, then id, with scores of at most 4 decimals', () => {
    fc.assert(
      fc.property(anyDocuments, anyQuery, (documents, query) => {
        const hits = createSearchIndex(documents).search(query);
        const sorted = [...hits].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
        expect(hits).toEqual(sorted);
        for (const { score } of hits) expect(score).toBe(Math.round(score * 10_000) / 10_000);
      }),
    );
  });

  it('does not depend on the order of the documents', () => {
    const shuffled = anyDocuments.chain((documents) =>
      fc.tuple(
        fc.constant(documents),
        fc.shuffledSubarray(documents, { minLength: documents.length, maxLength: documents.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, anyQuery, ([documents, others], query) => {
        expect(createSearchIndex(others).search(query)).toEqual(createSearchIndex(documents).search(query));
      }),
    );
  });

  it('answers after replaceServer as a newly built index, and leaves the old index as it was', () => {
    fc.assert(
      fc.property(anyDocuments, anyDocuments, server, anyQuery, (documents, others, replaced, query) => {
        const replacement = others.filter((document) => document.server === replaced);
        const before = createSearchIndex(documents);
        const hitsBefore = before.search(query);
        const after = before.replaceServer(replaced, replacement);
        const rebuilt = createSearchIndex([...documents.filter((one) => one.server !== replaced), ...replacement]);
        expect(after.size).toBe(rebuilt.size);
        expect(after.search(query)).toEqual(rebuilt.search(query));
        const steps = before.replaceServerInSteps(replaced, replacement);
        let step = steps.next();
        while (step.done !== true) step = steps.next();
        expect(step.value.search(query)).toEqual(after.search(query));
        expect(before.search(query)).toEqual(hitsBefore);
      }),
    );
  });
});
