// Definitions in the shape of each client, as Portico would have them, and the reasons where it cannot.
import { describe, expect, it } from 'vitest';
import { clientKinds } from '../clients.js';
import { isOwnEntry } from './own-entry.js';

const read = (client: string, raw: unknown) => clientKinds.find(({ id }) => id === client)?.readDefinition(raw);
const usable = (definition: object) => ({ kind: 'usable', definition });
const unusable = (reason: string) => ({ kind: 'unusable', reason });

describe('a definition', () => {
  it.each<[string, unknown, object]>([
    [
      'claude-desktop',
      { command: 'npx', args: ['-y', 'x'], env: { A: '1' } },
      { command: 'npx', args: ['-y', 'x'], env: { A: '1' } },
    ],
    [
      'claude-code',
      { type: 'http', url: 'https://x.example/mcp', headers: { 'X-A': 'b' } },
      { url: 'https://x.example/mcp', headers: { 'X-A': 'b' } },
    ],
    ['claude-code', { type: 'sse', url: 'https://x.example/sse' }, { url: 'https://x.example/sse' }],
    [
      'cursor',
      { url: 'https://x.example/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } },
      { url: 'https://x.example/mcp', auth: { type: 'bearer', tokenEnv: 'TOKEN' } },
    ],
    ['windsurf', { serverUrl: 'https://x.example/mcp' }, { url: 'https://x.example/mcp' }],
    ['windsurf', { serverUrl: 'https://x.example/mcp', url: 'https://old.example' }, { url: 'https://x.example/mcp' }],
    [
      'vscode',
      { type: 'stdio', command: 'uvx', args: ['a'], env: { KEY: '${env:KEY}', N: 3 } },
      { command: 'uvx', args: ['a'], env: { KEY: 'env://KEY', N: '3' } },
    ],
    [
      'zed',
      { command: { path: '/bin/x', args: ['a'], env: { B: 'c' } } },
      { command: '/bin/x', args: ['a'], env: { B: 'c' } },
    ],
    ['cursor', { command: 'x', cwd: '/y', envFile: '/y/.env' }, { command: 'x', cwd: '/y', envFile: '/y/.env' }],
    ['codex', { command: 'x', cwd: '/y' }, { command: 'x', cwd: '/y' }],
    ['opencode', { type: 'local', command: ['x'], cwd: '/y' }, { command: 'x', args: [], cwd: '/y' }],
    ['zed', { command: 'x', args: [], env: null, source: 'custom' }, { command: 'x', args: [] }],
    [
      'gemini-cli',
      { httpUrl: 'https://x.example/mcp', url: 'https://x.example/sse' },
      { url: 'https://x.example/mcp' },
    ],
    [
      'gemini-cli',
      { command: 'x', env: { A: '$A', B: '${B}' } },
      { command: 'x', env: { A: 'env://A', B: 'env://B' } },
    ],
    [
      'codex',
      { command: 'x', env: { A: '1' }, env_vars: ['B', { name: 'C', source: 'local' }] },
      { command: 'x', env: { B: 'env://B', C: 'env://C', A: '1' } },
    ],
    [
      'codex',
      { url: 'https://x.example', http_headers: { A: '1' }, env_http_headers: { B: 'KEY' }, bearer_token_env_var: 'T' },
      { url: 'https://x.example', headers: { B: 'env://KEY', A: '1' }, auth: { type: 'bearer', tokenEnv: 'T' } },
    ],
    [
      'opencode',
      { type: 'local', command: ['bun', 'x', 'y'], environment: { A: '{env:B}' } },
      { command: 'bun', args: ['x', 'y'], env: { A: 'env://B' } },
    ],
    [
      'opencode',
      { type: 'remote', url: 'https://x.example', headers: { A: 'b' } },
      { url: 'https://x.example', headers: { A: 'b' } },
    ],
  ])('of %s is read: %j', (client, raw, definition) => {
    expect(read(client, raw)).toEqual(usable(definition));
  });

  it('is taken word for word where the client replaces nothing', () => {
    const raw = { command: 'x', args: ['${HOME}'], env: { A: '${B}' } };
    expect(read('claude-desktop', raw)).toEqual(usable(raw));
    expect(read('zed', raw)).toEqual(usable(raw));
  });

  const foreign = 'refers to what only that client fills in';
  it.each<[string, unknown, string]>([
    ['claude-desktop', 'npx', 'is not an object'],
    ['claude-desktop', null, 'is not an object'],
    ['claude-desktop', [], 'is not an object'],
    ['claude-desktop', {}, 'needs exactly one of `command` and `url`; it has neither'],
    [
      'claude-desktop',
      { command: 'x', url: 'https://x.example' },
      'needs exactly one of `command` and `url`; it has both',
    ],
    ['claude-desktop', { command: 'x', args: 'y' }, 'args: expected Array, got string'],
    ['claude-desktop', { url: 'unix:///run/x.sock' }, 'url: must be an http: or https: address'],
    ['claude-desktop', { url: 'nowhere' }, 'url: must be an http: or https: address'],
    ['claude-desktop', { url: 'https://a b/' }, 'url: is not a valid address'],
    ['cursor', { command: 'x', args: ['${workspaceFolder}/y'] }, `args: ${foreign}`],
    ['cursor', { command: 'x', env: { KEY: 'prefix-${env:KEY}' } }, `env.KEY: ${foreign}`],
    ['cursor', { command: 'x', envFile: '.env' }, 'envFile: must be an absolute path'],
    ['cursor', { command: 'x', envFile: '${workspaceFolder}/.env' }, `envFile: ${foreign}`],
    ['claude-code', { type: 'ws', url: 'wss://x.example' }, 'has a transport other than stdio and HTTP'],
    ['claude-code', { command: 'x', env: { KEY: '${KEY:-s3cret}' } }, `env.KEY: ${foreign}`],
    ['vscode', { command: 'x', env: { KEY: '${input:key}' } }, `env.KEY: ${foreign}`],
    ['windsurf', { command: 'x', disabled: true }, 'is turned off in that client'],
    ['zed', { source: 'extension', settings: {} }, 'needs exactly one of `command` and `url`; it has neither'],
    ['gemini-cli', { command: 'x', cwd: './y' }, 'cwd: must be an absolute path'],
    ['codex', { command: 'x', enabled: false }, 'is turned off in that client'],
    ['codex', 3, 'is not a table'],
    ['opencode', { type: 'local', command: 'bun x' }, 'command: expected a list'],
    ['opencode', { enabled: true }, 'type: expected local or remote'],
    ['opencode', { type: 'local', command: ['x'], disabled: true }, 'is turned off in that client'],
    ['opencode', { type: 'remote', url: 'https://x.example', headers: { A: '{file:~/key}' } }, `headers.A: ${foreign}`],
  ])('of %s that Portico cannot have says why: %j', (client, raw, reason) => {
    expect(read(client, raw)).toEqual(unusable(reason));
  });

  it('never shows a value in a reason', () => {
    const raw = { command: 'x', args: 3, env: { KEY: ['s3cret'] }, headers: { A: '${input:s3cret}' } };
    for (const { id } of clientKinds) expect(JSON.stringify(read(id, raw))).not.toContain('s3cret');
  });
});

describe('the own entry', () => {
  it.each([
    { command: 'portico', args: ['mcp-stdio'] },
    { command: 'portico', args: ['mcp-stdio', '--config', '/c.json'] },
    { command: '/usr/bin/node', args: ['/x/apps/cli/dist/main.js', 'mcp-stdio', '--config', '/c.json'] },
    { command: 'C:\\node.exe', args: ['C:\\x\\@portico\\cli\\dist\\main.js', 'mcp-stdio'] },
    { command: 'node', args: ['apps/mcp-stdio/dist/main.js', '--config', 'c.json'] },
    { command: 'portico-mcp-stdio' },
    { type: 'local', command: ['portico', 'mcp-stdio'], enabled: true },
    { command: { path: 'portico', args: ['mcp-stdio'] } },
  ])('is known: %j', (raw) => {
    expect(isOwnEntry(raw)).toBe(true);
  });

  it.each([
    { command: 'other', args: ['mcp-stdio'] },
    { command: '/opt/mcp-stdio' },
    { command: 'portico', args: ['daemon'] },
    { url: 'http://127.0.0.1:9191/mcp' },
    'portico mcp-stdio',
    null,
  ])('is no other: %j', (raw) => {
    expect(isOwnEntry(raw)).toBe(false);
  });
});
