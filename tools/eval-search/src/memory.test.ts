// The memory of search by meaning over 10,000 tools.
import { readBuiltInModel } from '@portico/delivery';
import { embedDocument, type SearchDocument } from '@portico/search';
import { expect, it } from 'vitest';
import { readTools, toDocument } from './dataset.js';
import { measureMemory } from './memory.js';
import { createSyntheticDocuments } from './synthetic-tools.js';

it('is at most 12 MB for the model and the vectors of 10,000 tools', async () => {
  const real = readTools('tools-527.json').map(toDocument);
  const documents = createSyntheticDocuments(real, 50, 200).map((document) => ({ ...document, digest: document.id }));
  const { model, vectors } = await measureMemory(documents, async () => {
    const { embed, understands } = await readBuiltInModel();
    const vectorOf = (document: SearchDocument) => embedDocument(document, embed);
    return { embed: async (texts) => texts.map(embed), traits: { trust: 6, understands, vectorOf } };
  });
  expect(documents).toHaveLength(10_000);
  expect(model).toBeGreaterThan(2_800_000); // the file is kept as it is
  expect(vectors).toBeGreaterThan(10_000 * 128);
  expect(model + vectors).toBeLessThan(12_000_000);
});
