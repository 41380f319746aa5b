// The memory that search by meaning keeps: the model and the vectors, by what the heap and the buffers outside it hold.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSearchIndex, type SearchDocument } from '@portico/search';
import { type Embed, embedData, type Traits } from './semantic.js';

export interface Memory {
  /** The growth of kept memory, in bytes, after the first search by meaning. */
  readonly model: number;
  readonly vectors: number;
}

/** @param load reads the model, once */
export async function measureMemory(
  documents: readonly SearchDocument[],
  load: () => Promise<{ readonly embed: Embed; readonly traits: Traits }>,
): Promise<Memory> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // as the flag says
  const text = 'get rid of a record';
  const index = createSearchIndex(documents);
  index.search({ text, limit: 8 });
  const atFirst = keptBytes(collect);
  const { embed, traits } = await load();
  await embed([text]);
  const withModel = keptBytes(collect);
  const meaningOf = await embedData(embed, documents, [text], traits);
  index.search({ text, limit: 8 }, meaningOf(text));
  const withVectors = keptBytes(collect);
  index.search({ text, limit: 8 }, meaningOf(text)); // so that all of it is in use until here
  return { model: withModel - atFirst, vectors: withVectors - withModel };
}

function keptBytes(collect: () => void): number {
  for (let round = 0; round < 3; round += 1) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
