// The search block with its defaults filled in.
import { defaultSearch, type EmbeddingsConfig, type SearchConfig } from './config.js';
import type { RawSearch } from './search-schema.js';

export function toSearch(raw: RawSearch | null | undefined): SearchConfig {
  return { semantic: raw?.semantic ?? defaultSearch.semantic, embeddings: toEmbeddings(raw?.embeddings) };
}

function toEmbeddings(embeddings: RawSearch['embeddings']): EmbeddingsConfig | null {
  if (embeddings == null) return null;
  const { provider, model } = embeddings;
  if (provider === 'transformers') return { provider, model };
  const { url, apiKeyEnv, dimensions } = embeddings;
  return { provider, url, model, apiKeyEnv: apiKeyEnv ?? null, dimensions: dimensions ?? null };
}
