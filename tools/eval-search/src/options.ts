// The flags of `npm run eval:search`: which embedder takes part, if any, or where the texts are written to.
import { parseArgs } from 'node:util';
import { type EmbeddingsConfig, resolveConfig } from '@portico/contracts';

const options = {
  'embeddings-url': { type: 'string' },
  model: { type: 'string' },
  'api-key-env': { type: 'string' },
  dimensions: { type: 'string' },
  'write-texts': { type: 'string' },
} as const;

export interface Options {
  readonly embeddings: EmbeddingsConfig | null;
  /** Where the texts of all sets go, for tools/embeddings/rank.py; null measures. */
  readonly textsFile: string | null;
}

/** @throws Error that says what is wrong with the flags */
export function readOptions(args: readonly string[]): Options {
  const { 'write-texts': textsFile } = parseArgs({ args: [...args], options }).values;
  return textsFile === undefined
    ? { embeddings: readEmbeddings(args), textsFile: null }
    : { embeddings: null, textsFile };
}

/** Checked like a configuration file. Null without flags. @throws Error that says what is wrong with them */
export function readEmbeddings(args: readonly string[]): EmbeddingsConfig | null {
  const { values } = parseArgs({ args: [...args], options });
  const { 'embeddings-url': url, model, 'api-key-env': apiKeyEnv, dimensions } = values;
  if (Object.keys(values).length === 0) return null;
  const embeddings =
    url === undefined
      ? { provider: 'transformers', model }
      : {
          provider: 'openai',
          url,
          model,
          apiKeyEnv,
          ...(dimensions === undefined ? {} : { dimensions: Number(dimensions) }),
        };
  const resolved = resolveConfig({ mcpServers: {}, search: { embeddings } });
  if (!resolved.ok) throw new Error(resolved.issues.map(({ path, message }) => `${path}: ${message}`).join('; '));
  return resolved.value.search.embeddings;
}
