// The public names of @portico/search: build an index, search it, replace one server's part of it.
// Never reaches outside the process; vectors are fused in by whoever computes them.
export type { MatchType, SearchDocument, SearchHit, SearchMode, SearchQuery } from './search-document.js';
export { createSearchIndex, type SearchIndex } from './search-index.js';
