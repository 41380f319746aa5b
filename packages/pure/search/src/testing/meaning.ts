// A meaning that says of each document what a test wants. For tests of this package only.
import type { Meaning } from '../search-document.js';

/** @param similarityOf by id; undefined for a document without a vector */
export function meaningBy(similarityOf: (id: string) => number | undefined, trust?: number): Meaning {
  return {
    trust,
    compare(documents, into, from) {
      into.set(
        Float32Array.from(documents, ({ id }) => similarityOf(id) ?? Number.NaN),
        from,
      );
    },
    compareAt(documents, positions, into, from) {
      for (const at of positions) into[from + at] = similarityOf(documents[at]?.id ?? '') ?? Number.NaN;
    },
  };
}
