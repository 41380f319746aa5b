// The cost of an answer for its reader, and the loss of an approximate search in a large catalog.
import { readBuiltInModel } from '@portico/delivery';
import { createSearchIndex, embedDocument } from '@portico/search';
import { expect, it } from 'vitest';
import { meanCost } from './answer-cost.js';
import { readSets, readTools, toDocument } from './dataset.js';
import { embedData } from './semantic.js';
import { createSyntheticDocuments } from './synthetic-tools.js';

const model = await readBuiltInModel();
const builtIn = {
  trust: 6,
  understands: model.understands,
  isWord: model.isWord,
  vectorOf: (document: Parameters<typeof embedDocument>[0]) => embedDocument(document, model.embed),
};
const embed = async (texts: readonly string[]) => texts.map(model.embed);
const sets = readSets().map((set) => ({ ...set, queries: set.queries.slice(0, 200) }));

it.each(sets)('costs no more than before there was meaning: $name', async (set) => {
  const index = createSearchIndex(set.documents);
  const texts = set.queries.map(({ text }) => text);
  const now = meanCost(set, index, await embedData(embed, set.documents, texts, builtIn));
  const before = meanCost(set, index);
  expect(now.tokens).toBeLessThanOrEqual(before.tokens);
  expect(now.bytes).toBeLessThanOrEqual(before.bytes);
});

it('finds in a large catalog what an exact look finds', async () => {
  const real = readTools('tools-527.json').map(toDocument);
  const documents = createSyntheticDocuments(real, 20, 150).map((document) => ({ ...document, digest: document.id }));
  const texts = sets.flatMap(({ queries }) => queries.slice(0, 40)).map(({ text }) => text);
  const meaningOf = await embedData(embed, documents, texts, builtIn);
  const index = createSearchIndex(documents);
  const firstFive = (text: string, isExact: boolean) => {
    const meaning = meaningOf(text);
    const { compare } = meaning ?? {};
    return index
      .search(
        { text, limit: 5 },
        isExact && meaning && compare
          ? { ...meaning, compare: (...[list, into, from]) => compare(list, into, from, false) }
          : meaning,
      )
      .map(({ id }) => id);
  };
  const shares = texts.map((text) => {
    const exact = firstFive(text, true);
    return exact.filter((id) => firstFive(text, false).includes(id)).length / Math.max(exact.length, 1);
  });
  expect(shares.reduce((sum, share) => sum + share, 0) / shares.length).toBeGreaterThan(0.98);
});
