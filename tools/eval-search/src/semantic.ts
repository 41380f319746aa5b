// Vectors of an embedder for the labelled data, as the plane would have them: one for each tool, one for each query.
import { createVectorTable, type SearchDocument, type SimilarityOf, toEmbeddingText, toUnit } from '@portico/search';

/** What turns text into vectors: the `embed` of an embedder. */
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** How near the tools are to each of these texts. */
export async function embedData(
  embed: Embed,
  documents: readonly SearchDocument[],
  texts: readonly string[],
): Promise<(text: string) => SimilarityOf> {
  const tools = await embed(documents.map(toEmbeddingText));
  const queries = await embed(texts);
  const table = createVectorTable(tools[0]?.length ?? 0);
  for (const [at, { id }] of documents.entries()) table.put(id, tools[at] ?? new Float32Array());
  return (text) => {
    const unit = toUnit(queries[texts.indexOf(text)] ?? new Float32Array());
    return (id) => table.similarity(id, unit);
  };
}
