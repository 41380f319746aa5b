// Embedders by the flags of the evaluation.
import { expect, test } from 'vitest';
import { readEmbeddings } from './options.js';

test('no flags are no embedder', () => {
  expect(readEmbeddings([])).toBeNull();
});

test('an address is an OpenAI-compatible API, and a model alone is one on this machine', () => {
  const url = ['--embeddings-url', 'http://127.0.0.1:11434/v1', '--model', 'm'];
  expect(readEmbeddings([...url, '--api-key-env', 'KEY', '--dimensions', '256'])).toEqual({
    provider: 'openai',
    url: 'http://127.0.0.1:11434/v1',
    model: 'm',
    apiKeyEnv: 'KEY',
    dimensions: 256,
  });
  expect(readEmbeddings(['--model', '/models/m'])).toEqual({ provider: 'transformers', model: '/models/m' });
});

test('flags are checked like a configuration', () => {
  expect(() => readEmbeddings(['--embeddings-url', 'http://x'])).toThrow('search.embeddings.model: is required');
  expect(() => readEmbeddings(['--embeddings-url', 'x', '--model', 'm'])).toThrow('must be an http: or https: address');
});
