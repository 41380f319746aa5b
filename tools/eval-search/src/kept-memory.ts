// The memory of search by meaning over 10,000 tools with the built-in model.
import { readBuiltInModel } from '@portico/delivery';
import { embedDocument, type SearchDocument } from '@portico/search';
import { readTools, toDocument } from './dataset.js';
import { type Memory, measureMemory } from './memory.js';
import { createSyntheticDocuments } from './synthetic-tools.js';

/** @param trust as the built-in model is trusted in the product */
export function keptMemory(trust: number): Promise<Memory> {
  const documents = createSyntheticDocuments(readTools('tools-527.json').map(toDocument), 50, 200);
  const digested = documents.map((document) => ({ ...document, digest: document.id }));
  return measureMemory(digested, async () => {
    const { embed, understands } = await readBuiltInModel();
    const vectorOf = (document: SearchDocument) => embedDocument(document, embed);
    return { embed: async (texts) => texts.map(embed), traits: { trust, understands, vectorOf } };
  });
}
