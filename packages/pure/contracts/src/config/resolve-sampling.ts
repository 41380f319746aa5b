// The sampling block with its defaults filled in.
import { defaultSampling, type SamplingConfig, type SamplingProvider } from './config.js';
import type { RawSampling } from './sampling-schema.js';

export function toSampling(raw: RawSampling | null | undefined): SamplingConfig {
  return { provider: toProvider(raw?.provider), tickets: raw?.tickets ?? defaultSampling.tickets };
}

function toProvider(raw: RawSampling['provider']): SamplingProvider | null {
  if (raw == null) return defaultSampling.provider;
  const { url, model, apiKeyEnv, maxTokens } = raw;
  return { url, model, apiKeyEnv: apiKeyEnv ?? null, maxTokens: maxTokens ?? null };
}
