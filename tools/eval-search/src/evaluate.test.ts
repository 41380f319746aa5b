import { createSearchIndex } from '@portico/search';
import { describe, expect, it } from 'vitest';
import { readDevQueries, readTools, toDocument } from './dataset.js';
import { evaluate, MIN_RECALL_AT_5, rank } from './evaluate.js';

describe('the ranking', () => {
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
