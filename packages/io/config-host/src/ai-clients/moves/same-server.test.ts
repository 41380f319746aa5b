// Definitions that mean the same server: the loose form for a hint, the exact one before an entry is given up.
import type { JsonObject } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { behindAs, sameAs } from './same-server.js';

const run = { command: 'mcp', args: ['x'] };
const at = { url: 'https://mcp.example.com/mcp' };
const bearer = (tokenEnv: string) => ({ auth: { type: 'bearer', tokenEnv } });

describe('a server of a client', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['nothing else', run, { ...run, timeout: 5, env: {} }],
    ['a list without arguments', { command: 'mcp' }, { command: 'mcp', args: [] }],
    ['the same variables', { ...run, env: { A: '1', B: '2' } }, { ...run, env: { B: '2', A: '1' } }],
    ['a secret URI for a plain value', { ...run, env: { KEY: 'plain' } }, { ...run, env: { KEY: 'env://KEY' } }],
    ['the same folder', { ...run, cwd: '/repo', envFile: '/e' }, { ...run, cwd: '/repo', envFile: '/e' }],
    ['headers of another case', { ...at, headers: { 'X-Key': 'a' } }, { ...at, headers: { 'x-key': 'a' } }],
    ['the same credentials', { ...at, ...bearer('WORK') }, { ...at, auth: { tokenEnv: 'WORK', type: 'bearer' } }],
  ])('is the configured one with %s', (_, definition, configured) => {
    expect(sameAs(definition, { configured }, 'server')).toBe('configured');
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['credentials of another variable', { ...at, ...bearer('WORK') }, { ...at, ...bearer('HOME') }],
    ['credentials that only one has', at, { ...at, ...bearer('HOME') }],
    ['another environment file', { ...run, envFile: '/work.env' }, { ...run, envFile: '/home.env' }],
    ['an environment file that only one has', run, { ...run, envFile: '/home.env' }],
    ['a folder that only one has', run, { ...run, cwd: '/repo1' }],
    ['a folder that only the client has', { ...run, cwd: '/repo1' }, run],
    ['a variable that only the configuration has', run, { ...run, env: { GH_HOST: 'a' } }],
    ['a variable that only the client has', { ...run, env: { GH_HOST: 'a' } }, run],
    ['another value of a variable', { ...run, env: { GH_HOST: 'a' } }, { ...run, env: { GH_HOST: 'b' } }],
    ['another secret URI', { ...run, env: { KEY: 'env://A' } }, { ...run, env: { KEY: 'env://B' } }],
    ['a header that only the configuration has', at, { ...at, headers: { 'X-Account': 'b' } }],
  ])('is another one with %s', (_, definition, configured) => {
    expect(sameAs(definition, { configured }, 'configured')).toBeNull();
  });

  it('counts as reached past Portico for any account', () => {
    expect(behindAs({ ...at, ...bearer('WORK') }, { home: { ...at, ...bearer('HOME') } }, 'work')).toBe('home');
    expect(behindAs({ ...run, cwd: '/a' }, { one: { ...run, cwd: '/b' } }, 'one')).toBeNull();
  });
});
