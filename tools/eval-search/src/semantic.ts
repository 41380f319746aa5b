// Vectors for the labelled data, as the plane would have them: one for each tool, one for each query.
import { createVectorTable, type Meaning, type SearchDocument, toEmbeddingText, toUnit } from '@portico/search';

/** Turns text into vectors: the `embed` of an embedder. */
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** As the plane estimates in large catalogs. */
const LEADING = 40;

export interface Traits {
  /** As in `Meaning`. */
  readonly trust?: number;
  /** Whether a text has a meaning. */
  readonly understands?: (text: string) => boolean;
  readonly isWord?: (word: string) => boolean;
  /** Makes vectors of tools as the plane does with the built-in model; by default they are those of their texts. */
  readonly vectorOf?: (document: SearchDocument) => Float32Array;
}

/** How near the tools are to each of these texts. */
export async function embedData(
  embed: Embed,
  documents: readonly SearchDocument[],
  texts: readonly string[],
  { trust, understands = () => true, isWord, vectorOf }: Traits = {},
): Promise<(text: string) => Meaning | undefined> {
  const tools = vectorOf === undefined ? await embed(documents.map(toEmbeddingText)) : documents.map(vectorOf);
  const queries = await embed(texts);
  const table = createVectorTable(tools[0]?.length ?? 0);
  for (const [at, { digest = '' }] of documents.entries()) table.put(digest, tools[at] ?? new Float32Array());
  const kept = new WeakMap<readonly SearchDocument[], Int32Array>();
  const rowsOf = (list: readonly SearchDocument[]) => {
    const rows = kept.get(list) ?? Int32Array.from(list, ({ digest = '' }) => table.rowOf(digest));
    kept.set(list, rows);
    return rows;
  };
  const vectors = new Map(texts.map((text, at) => [text, toUnit(queries[at] ?? new Float32Array())]));
  return (text) => {
    const unit = vectors.get(text);
    if (unit === undefined || !understands(text)) return undefined;
    const comparison = table.comparedWith(unit);
    return {
      trust,
      isWord,
      compare: (list, into, from, isRough) =>
        comparison.compare(rowsOf(list), into, from, isRough ? LEADING : undefined),
      compareAt: (list, positions, into, from) => comparison.compareAt(rowsOf(list), positions, into, from),
    };
  };
}
