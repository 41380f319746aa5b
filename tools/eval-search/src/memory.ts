// The memory that search by meaning keeps: the model and the vectors, by what the heap and the buffers outside it hold.
import { setImmediate as turn } from 'node:timers/promises';
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
  const atFirst = await keptBytes(collect);
  const { embed, traits } = await load();
  await embed([text]);
  const withModel = await keptBytes(collect);
  const meaningOf = await embedData(embed, documents, [text], traits);
  index.search({ text, limit: 8 }, meaningOf(text));
  const withVectors = await keptBytes(collect);
  index.search({ text, limit: 8 }, meaningOf(text)); // so that all of it is in use until here
  return { model: withModel - atFirst, vectors: withVectors - withModel };
}

/** V8 drops the code of a function that several collections in a row have found unused. */
const LEAST_COLLECTIONS = 12;
const MOST_COLLECTIONS = 40;

/** The bytes in use once a collection frees nothing more. */
async function keptBytes(collect: () => void): Promise<number> {
  let before = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MOST_COLLECTIONS; round += 1) {
    await turn();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const now = heapUsed + external;
    if (now > before - 1_000 && round >= LEAST_COLLECTIONS) return now;
    before = now;
  }
  return before;
}
