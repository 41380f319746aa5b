import { createSearchIndex, type Meaning } from '@portico/search';
import { describe, expect, it } from 'vitest';
import { readDevQueries, readTools, toDocument } from './dataset.js';
import { evaluate, MIN_RECALL_AT_5, rank } from './evaluate.js';

/** Knows what is meant: only what is relevant to a query is like it. */
const oracle = (text: string): Meaning => {
  const relevant = readDevQueries().find((query) => query.text === text)?.relevant ?? {};
  const similarityOf = (id: string) => ((relevant[id] ?? 0) >= 1 ? 1 : 0);
  return {
    compare: (documents, into, from) =>
      into.set(
        documents.map(({ id }) => similarityOf(id)),
        from,
      ),
    compareAt(documents, positions, into, from) {
      for (const at of positions) into[from + at] = similarityOf(documents[at]?.id ?? '');
    },
  };
};

describe('the ranking', () => {
  it('by words and meaning is better where the embedder knows what is meant', () => {
    const index = createSearchIndex(readTools('tools-45.json').map(toDocument));
    const queries = readDevQueries();
    const [lexical, fused] = [evaluate(index, queries), evaluate(index, queries, oracle)];
    expect(fused.recallAt5).toBeGreaterThan(lexical.recallAt5);
    expect(fused.ndcgAt10).toBeGreaterThan(lexical.ndcgAt10);
  });

  it('reaches the accepted recall@5 over the dev half', () => {
    const index = createSearchIndex(readTools('tools-45.json').map(toDocument));
    expect(evaluate(index, readDevQueries()).recallAt5).toBeGreaterThanOrEqual(MIN_RECALL_AT_5);
  });

  it('finds nearly every one of 527 tools, among the first five, by the words of its name and by its first sentence', () => {
    const documents = readTools('tools-527.json').map(toDocument);
    const index = createSearchIndex(documents);
    const share = (toQuery: (document: (typeof documents)[number]) => string) => {
      const asked = documents.filter((document) => toQuery(document) !== '');
      return (
        asked.filter((document) => rank(index, toQuery(document)).slice(0, 5).includes(document.id)).length /
        asked.length
      );
    };
    expect(share((document) => document.tool.replaceAll(/[_-]/g, ' '))).toBeGreaterThan(0.95);
    expect(share((document) => document.summary)).toBeGreaterThan(0.95);
  });
});
