// The sampling block with its defaults filled in.
import { defaultSampling, type SamplingConfig } from './config.js';
import type { RawSampling } from './sampling-schema.js';

export function toSampling(raw: RawSampling | null | undefined): SamplingConfig {
  const provider = raw?.provider;
  if (provider == null) return defaultSampling;
  const { url, model, apiKeyEnv, maxTokens } = provider;
  return { provider: { url, model, apiKeyEnv: apiKeyEnv ?? null, maxTokens: maxTokens ?? null } };
}
