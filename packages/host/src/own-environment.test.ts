// Every variable that a configuration takes a secret from is found, and goes; what a process needs stays.
import { resolveConfig } from '@portico/contracts';
import { expect, it } from 'vitest';
import { forgetSecrets, secretNames } from './own-environment.js';

const file = {
  mcpServers: {
    a: { command: 'x', env: { K: 'env://OF_CHILD', PLAIN: 'env', HERE: 'env://HOME', NPM: 'env://NODE_AUTH_TOKEN' } },
    b: { url: 'https://b.example', auth: { type: 'bearer', tokenEnv: 'OF_BEARER' } },
    c: { url: 'https://c.example', auth: { type: 'basic', username: 'u', passwordEnv: 'OF_BASIC' } },
    d: { url: 'https://d.example', headers: { 'X-Key': 'env://OF_HEADER' } },
  },
  rbac: {
    roles: { r: {} },
    tokens: [{ role: 'r', tokenEnv: 'OF_TOKEN' }],
    jwt: { issuer: 'i', audience: 'a', secretEnv: 'OF_JWT' },
  },
  policy: { webhook: { url: 'https://e.example', secretEnv: 'OF_WEBHOOK' } },
  sampling: { provider: { url: 'https://f.example', model: 'm', apiKeyEnv: 'OF_SAMPLING' } },
  search: { embeddings: { provider: 'openai', url: 'https://g.example', model: 'm', apiKeyEnv: 'OF_SEARCH' } },
  storage: { url: 'env://OF_STORAGE' },
};

it('deletes what secrets are taken from, wherever a configuration names it', () => {
  const config = resolveConfig(file);
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  const names = [
    'NODE_AUTH_TOKEN',
    'OF_BASIC',
    'OF_BEARER',
    'OF_CHILD',
    'OF_HEADER',
    'OF_JWT',
    'OF_SAMPLING',
    'OF_SEARCH',
    'OF_STORAGE',
    'OF_TOKEN',
    'OF_WEBHOOK',
  ];
  expect([...secretNames(config.value)].sort()).toEqual(['HOME', ...names].sort());
  const env: Record<string, string> = {
    HOME: '/',
    NODE_ENV: 'test',
    OTHER: 'kept',
    ...Object.fromEntries(names.map((n) => [n, 's'])),
  };
  forgetSecrets(config.value, env);
  expect(env).toEqual({ HOME: '/', NODE_ENV: 'test', OTHER: 'kept' });
});
