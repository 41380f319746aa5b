// The compact lists of a view as clients get them.
import { catalogTtlMs, type JsonObject } from '@portico/contracts';
import type { CatalogView } from './view.js';

export type ListName = 'capabilities' | 'resources' | 'prompts';

/** The list of a view as `GET /v1/capabilities`, `/v1/resources` and `/v1/prompts` answer it. */
export function listDocument(view: CatalogView, name: ListName): JsonObject {
  return {
    version: 'v1',
    catalog_version: view.catalogVersion,
    ttl_ms: catalogTtlMs,
    cache_scope: view.cacheScope,
    [name]: view[name].map((entry) => entry.item),
  };
}
