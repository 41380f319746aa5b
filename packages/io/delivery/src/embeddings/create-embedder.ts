// The embedder that a configuration asks for. Contacts no service and loads nothing before it is used.
import type { EmbeddingsConfig } from '@portico/contracts';
import { createOpenAiEmbedder } from './openai-embedder.js';
import { type ClosableEmbedder, createTransformersEmbedder } from './transformers-embedder.js';

export interface EmbedderOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The base of a model's relative folder. */
  readonly directory: string;
  /** Sends requests to an endpoint; by default with a guard of its own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Creates the embedder of a configuration: OpenAI's API, or a model on this machine. */
export function createEmbedder(config: EmbeddingsConfig, { env, directory, fetch }: EmbedderOptions): ClosableEmbedder {
  switch (config.provider) {
    case 'openai':
      return { ...createOpenAiEmbedder(config, { env, fetch }), async close() {} };
    case 'transformers':
      return createTransformersEmbedder(config, { env, directory });
  }
}
