// The access block: its values, and a rule that has nothing to ask for.
import { expect, it } from 'vitest';
import { resolveConfig } from './resolve-config.js';

const resolve = (file: object) => {
  const config = resolveConfig({ mcpServers: {}, ...file });
  return config.ok ? config.value.access : config.issues.map(({ path }) => path);
};

it('takes each field', () => {
  const access = { otherUsers: 'calls', operatorToken: true, requireTokenOnLoopback: true };
  expect(resolve({ access, authToken: 't' })).toEqual(access);
  const defaults = { otherUsers: 'none', operatorToken: false, requireTokenOnLoopback: false };
  expect([resolve({ access: null }), resolve({ access: {} })]).toEqual([defaults, defaults]);
});

it.each([
  [{ access: { otherUsers: 'all' } }, ['access.otherUsers']],
  [{ access: { operatorToken: 'yes' } }, ['access.operatorToken']],
  [{ access: { operatortoken: true } }, ['access.operatortoken']],
  [{ access: [] }, ['access']],
  [{ access: { requireTokenOnLoopback: true } }, ['access.requireTokenOnLoopback']],
])('refuses %j', (file, paths) => {
  expect(resolve(file)).toEqual(paths);
});
