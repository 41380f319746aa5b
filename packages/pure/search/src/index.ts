// The public names of @portico/search: build an index, search it, replace one server's part of it.
// Never reaches outside the process; the caller computes the vectors.
export { embedDocument, embeddingTextVersion, toEmbeddingText } from './embedding-text.js';
export { briefly, evidenceOf, type Fit, fitOf } from './good-answer.js';
export type {
  MatchType,
  Meaning,
  SearchDocument,
  SearchEntry,
  SearchHit,
  SearchMode,
  SearchQuery,
} from './search-document.js';
export { createSearchIndex, type SearchIndex } from './search-index.js';
export { createVectorTable, toUnit, type VectorTable } from './vector-table.js';
export { whyOf } from './why.js';
