// The catalog of what all upstream servers offer: entries, aliases, views, digests. Data in, data out.
export { type Catalog, catalogInSteps, createCatalog, noRules, splitId, type VisibilityRules } from './catalog.js';
export { compareCodePoints } from './code-point-order.js';
export {
  type CapabilityEntry,
  type PromptEntry,
  type ResourceEntry,
  type ServerEntries,
  serverEntriesInSteps,
  toServerEntries,
} from './entries.js';
export { type ListName, listDocument } from './list-document.js';
export { describeBounds } from './listing-bounds.js';
export { matchesWildcards } from './uri-template.js';
export { type CatalogView, type ProfileRules, profileView, roleView, wholeView } from './view.js';
