// The search block with its defaults filled in.
import { defaultSearch, type SearchConfig } from './config.js';
import type { RawSearch } from './search-schema.js';

export function toSearch(raw: RawSearch | null | undefined): SearchConfig {
  const embeddings = raw?.embeddings;
  if (embeddings == null) return defaultSearch;
  const { provider, model } = embeddings;
  if (provider === 'transformers') return { embeddings: { provider, model } };
  const { url, apiKeyEnv, dimensions } = embeddings;
  return { embeddings: { provider, url, model, apiKeyEnv: apiKeyEnv ?? null, dimensions: dimensions ?? null } };
}
