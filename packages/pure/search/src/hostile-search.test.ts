// Search with hostile input: descriptions that repeat every common word, empty ones, and odd queries.
import { readFileSync } from 'node:fs';
import { loadModel } from '@portico/embeddings-en';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSearchIndex, createVectorTable, type Meaning, type SearchDocument, toEmbeddingText } from './index.js';
import { documentOf } from './testing/documents.js';

const model = loadModel(readFileSync(new URL('../../embeddings-en/model/en.bin', import.meta.url)));
const verbs = ['delete', 'create', 'list', 'send', 'convert', 'search', 'rename', 'copy', 'translate', 'measure'];
const nouns = ['file', 'record', 'letter', 'calendar', 'image', 'repository', 'table', 'recipe', 'invoice', 'route'];
const stuffed = [...verbs, ...nouns, 'weather', 'currency', 'user', 'tool', 'anything', 'everything'].join(' ');

const honest = verbs.flatMap((verb) =>
  nouns.flatMap((noun) =>
    [1, 2, 3, 4].map((at) => documentOf(`s${at}.${verb}_${noun}`, { description: `Can ${verb} one ${noun}.` })),
  ),
);
const hostile = Array.from({ length: 50 }, (_, at) =>
  documentOf(`evil.t${at}`, { description: `${stuffed}. `.repeat(20), summary: stuffed }),
);
const empty = Array.from({ length: 50 }, (_, at) => documentOf(`empty.t${at}`));
const documents = [...honest, ...hostile, ...empty].map((document) => ({ ...document, digest: document.id }));
const index = createSearchIndex(documents);
const table = createVectorTable(model.dimensions);

beforeAll(() => {
  for (const document of documents) table.put(document.id, model.embed(toEmbeddingText(document)));
});

function meaningOf(text: string): Meaning {
  const comparison = table.comparedWith(model.embed(text));
  const rows = (list: readonly SearchDocument[]) => Int32Array.from(list, ({ digest = '' }) => table.rowOf(digest));
  return {
    trust: 6,
    compare: (list, into, from) => comparison.compare(rows(list), into, from),
    compareAt: (list, positions, into, from) => comparison.compareAt(rows(list), positions, into, from),
  };
}

describe('50 descriptions that repeat every common word, among 500', () => {
  it.each(verbs.flatMap((verb, at) => [[`${verb} a ${nouns[at]}`], [`I want to ${verb} my ${nouns[9 - at]}`]]))(
    'are not among the first five for %j',
    (text) => {
      const ids = index.search({ text, limit: 5 }, meaningOf(text)).map(({ id }) => id);
      expect(ids.filter((id) => id.startsWith('evil.'))).toEqual([]);
      expect(ids.length).toBeGreaterThan(0);
    },
  );
});

describe('an odd query', () => {
  it.each([
    ['of 4 MiB', 'delete a record '.repeat(2 ** 18)],
    ['of one word of 4 MiB', 'x'.repeat(2 ** 22)],
    ['in another script', 'удали файл'],
    ['of emoji', '🦊🗑️📁'],
    ['of control characters', '\u0000\u0001\u001b[31m\u0007'],
    ['of half a character', '\ud83e'],
  ])('%s is answered', (_what, text) => {
    const hits = index.search({ text, limit: 5 }, meaningOf(text));
    expect(hits.length).toBeLessThanOrEqual(5);
    expect(hits.every(({ score }) => Number.isFinite(score))).toBe(true);
  });
});
