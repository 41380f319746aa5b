// The required credentials of each entry point follow the configuration in force, and an open entry point is never left
// behind.
import { type Config, resolveConfig } from '@portico/contracts';
import type { PlaneState } from '@portico/control-plane';
import { expect, it } from 'vitest';
import { createCredentials, secretVariables, unauthenticatedBindIssues } from './access.js';

function configOf(file: object): Config {
  const config = resolveConfig({ mcpServers: {}, ...file });
  if (!config.ok) throw new Error(JSON.stringify(config.issues));
  return config.value;
}

const rbac = {
  roles: { r: {} },
  tokens: [
    { role: 'r', token: 't' },
    { role: 'r', tokenEnv: 'T' },
  ],
  jwt: { issuer: 'i', audience: 'a', secretEnv: 'S' },
};

it('follows the configuration in force, and closes where that has nothing to ask for', async () => {
  let config = configOf({ authToken: 'secret' });
  const plane = { state: () => ({ config }) as PlaneState }; // nothing else of it is read
  const credentials = createCredentials(plane, {}, () => {});
  const doors = {
    local: credentials.ofApi('127.0.0.1'),
    wide: credentials.ofApi('0.0.0.0'),
    mcp: credentials.ofMcp('127.0.0.1'),
    wideMcp: credentials.ofMcp('0.0.0.0'),
  };
  const open = async (authorization?: string) => {
    const asked = Object.entries(doors).map(async ([name, door]) => [name, (await door(authorization)).kind] as const);
    return (await Promise.all(asked)).filter(([, kind]) => kind === 'known').map(([name]) => name);
  };
  expect([await open(), await open('Bearer secret')]).toEqual([['local'], ['local', 'wide', 'mcp', 'wideMcp']]);
  config = configOf({ rbac });
  expect([await open(), await open('Bearer t')]).toEqual([[], ['local', 'wide', 'mcp', 'wideMcp']]);
  expect(credentials.jwt()?.issuer).toBe('i');
  config = configOf({});
  expect([await open(), await open('Bearer secret'), credentials.jwt()]).toEqual([
    ['local', 'mcp'],
    ['local', 'mcp'],
    null,
  ]);
});

it('says what is missing', () => {
  expect(unauthenticatedBindIssues(configOf({}), '0.0.0.0')).toEqual([
    {
      path: 'authToken',
      message:
        'is required to bind to 0.0.0.0, which is not loopback, where there is no rbac; or have --bind name a loopback address',
    },
  ]);
  expect(unauthenticatedBindIssues(configOf({ rbac }), '0.0.0.0')).toEqual([]);
  expect(secretVariables(configOf({ rbac }))).toEqual([
    { path: 'rbac.tokens[1].tokenEnv', name: 'T' },
    { path: 'rbac.jwt.secretEnv', name: 'S' },
  ]);
});
