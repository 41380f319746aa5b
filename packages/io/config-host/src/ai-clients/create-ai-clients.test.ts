// AI clients of real homes: what is found in them, what may be imported, and how Portico comes into a file and out again.
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { maxFileBytes } from '../whole-file.js';
import { clientKinds } from './clients.js';
import { findServers } from './find-servers.js';
import { createHomes, homes, serve } from './testing/homes.js';

const { openHome, removeAll } = createHomes();
afterEach(removeAll);

const zedFile = '.config/zed/settings.json';
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('discovery', () => {
  it('lists every client with its file and its servers', async () => {
    const { clients, home } = await openHome('linux');
    const found = await clients.ecosystem();
    expect(found.every(({ exists, path }) => exists && path.startsWith(home))).toBe(true);
    expect(Object.fromEntries(found.map(({ id, servers }) => [id, servers]))).toEqual({
      'claude-desktop': ['filesystem', 'brave search'],
      'claude-code': ['github', 'airtable', 'shop-db'],
      cursor: ['filesystem', 'linear', 'workspace'],
      windsurf: ['figma', 'git'],
      vscode: ['perplexity', 'playwright'],
      zed: ['postgres', 'docs', 'mcp-server-context7'],
      codex: ['context7', 'figma'],
      'gemini-cli': ['discovery', 'python-tools'],
      opencode: ['my-local-mcp-server', 'jira'],
    });
    expect(found.find(({ id }) => id === 'opencode')?.path).toBe(join(home, '.config/opencode/opencode.jsonc'));
  });

  it('finds files in the places of macOS, in the form of version 2 of OpenCode too', async () => {
    const { clients } = await openHome('macos', 'darwin');
    const found = (await clients.ecosystem()).filter(({ exists }) => exists);
    expect(found.map(({ id, servers }) => [id, servers])).toEqual([
      ['claude-desktop', ['everything']],
      ['opencode', ['everything', 'off']],
    ]);
  });

  it.each([
    ['claude-desktop', 'AppData/Roaming/Claude/claude_desktop_config.json'],
    ['codex', '.codex/config.toml'],
  ])('reads the file of %s as Windows has it', async (id, file) => {
    const kind = clientKinds.find((known) => known.id === id);
    const text = new TextDecoder().decode(await readFile(join(homes, 'windows', file)));
    expect(kind && findServers(kind, text).map(({ name, read }) => [name, read.kind])).toEqual([['memory', 'usable']]);
  });

  it('lists clients that are not there, and those whose files cannot be read', async () => {
    const { clients, home } = await openHome();
    await mkdir(join(home, '.cursor'));
    await writeFile(join(home, '.claude.json'), '{"mcpServers": ');
    await mkdir(join(home, '.codex/config.toml'), { recursive: true });
    const listed = Object.fromEntries((await clients.list()).map((client) => [client.id, client]));
    expect(listed.zed).toEqual({
      ...{ id: 'zed', name: 'Zed', path: join(home, zedFile) },
      ...{ detected: false, attached: false, direct_servers: [] },
    });
    expect(listed.cursor).toMatchObject({ detected: true, attached: false });
    expect(listed['claude-code']).toMatchObject({ detected: true, attached: false });
    const found = Object.fromEntries((await clients.ecosystem()).map((client) => [client.id, client]));
    expect(found.cursor).toMatchObject({ exists: false, servers: [] });
    expect(found['claude-code']).toMatchObject({ exists: true, servers: [] });
    expect(found.codex).toMatchObject({ exists: true, servers: [] });
  });

  it('shows what may be imported, masked, and what is configured already', async () => {
    const { clients, home } = await openHome('linux');
    const sources = await clients.sources(new Set(['airtable']));
    expect(sources.map(({ client, server_id }) => `${client} ${server_id}`)).toEqual([
      'claude-desktop filesystem',
      'claude-desktop brave-search',
      'claude-code github',
      'claude-code airtable',
      'cursor filesystem',
      'cursor linear',
      'windsurf figma',
      'vscode playwright',
      'zed postgres',
      'zed docs',
      'codex context7',
      'codex figma',
      'gemini-cli discovery',
      'opencode my-local-mcp-server',
    ]);
    expect(sources[3]).toEqual({
      client: 'claude-code',
      path: join(home, '.claude.json'),
      server_id: 'airtable',
      definition: { masked: ['command', 'args', 'env'] },
      already_configured: true,
    });
    expect(sources.filter(({ already_configured }) => already_configured)).toHaveLength(1);
  });
});

describe('an import', () => {
  const ask = { existingIds: new Set<string>(), overwrite: false };

  it('takes servers of all clients, each once, and says what it leaves', async () => {
    const { clients } = await openHome('linux');
    const { imported, skipped, errors } = await clients.planImport({ ...ask, sourcePath: null });
    expect(errors).toEqual([]);
    expect(imported).toHaveLength(12);
    expect(imported).toContainEqual({
      server_id: 'github',
      client: 'claude-code',
      definition: { url: 'https://api.githubcopilot.com/mcp/', auth: { type: 'bearer', tokenEnv: 'GITHUB_TOKEN' } },
    });
    expect(skipped.map(({ client, server_id, reason }) => `${client} ${server_id}: ${reason.slice(0, 24)}`)).toEqual([
      'claude-code shop-db: args: refers to what onl',
      'cursor workspace: args: refers to what onl',
      'windsurf git: is turned off in that cl',
      'vscode perplexity: env.PERPLEXITY_API_KEY: ',
      'zed mcp-server-context7: needs exactly one of `co',
      'gemini-cli python-tools: cwd: must be an absolute',
      'opencode jira: is turned off in that cl',
      'cursor filesystem: is the same server as fi',
      'codex figma: windsurf has another ser',
    ]);
  });

  it('never takes Portico itself', async () => {
    const { clients } = await openHome('linux');
    for (const { id } of clientKinds) await clients.attach(id);
    const { imported, skipped } = await clients.planImport({ ...ask, sourcePath: null });
    expect(imported).toHaveLength(12);
    expect(skipped.filter(({ reason }) => reason === 'is Portico itself')).toHaveLength(9);
    expect((await clients.sources(new Set())).map(({ server_id }) => server_id)).not.toContain('portico');
  });

  it.each([
    ['servers.json', '{"servers": {"a": {"command": "x"}}}', 'vscode'],
    ['any.json', '{"context_servers": {"a": {"command": "x"}}}', 'zed'],
    ['any', '// c\n{"mcpServers": {"a": {"command": "x"}},}', 'cursor'],
    ['any.json', '{"mcp": {"a": {"type": "local", "command": ["x"]}}}', 'opencode'],
    ['any.toml', '[mcp_servers.a]\ncommand = "x"\n', 'codex'],
    ['mcp_config.json', '{"mcpServers": {"a": {"command": "x"}}}', 'windsurf'],
  ])('takes one file that is named: %s with %j', async (name, text, client) => {
    const { clients, home } = await openHome();
    await writeFile(join(home, name), text);
    const { imported, errors } = await clients.planImport({ ...ask, sourcePath: join(home, name) });
    expect(errors).toEqual([]);
    expect(imported).toEqual([{ server_id: 'a', client, definition: expect.objectContaining({ command: 'x' }) }]);
  });

  it.each<[string, string | null, string]>([
    ['gone.json', null, 'there is no such file'],
    [
      'bad.json',
      '{"mcpServers": s3cret',
      'line 1, column 16: not valid JSON: an unknown word; texts need double quotes',
    ],
    ['bad.toml', 'a = ', 'line 1, column 5: not valid TOML'],
    ['other.json', '{"a": 1}', 'it holds no servers in a format that is known'],
    ['odd.json', '{"mcpServers": [1]}', 'mcpServers is not an object'],
  ])('says what is wrong with a file that is named: %s', async (name, text, message) => {
    const { clients, home } = await openHome();
    const path = join(home, name);
    if (text !== null) await writeFile(path, text);
    expect((await clients.planImport({ ...ask, sourcePath: path })).errors).toEqual([{ path, message }]);
  });

  it('takes no relative path, no folder and no file beyond the limit', async () => {
    const { clients, home } = await openHome();
    const big = join(home, 'big.json');
    await writeFile(big, Buffer.alloc(maxFileBytes + 1, ' '));
    const errorOf = async (sourcePath: string) => (await clients.planImport({ ...ask, sourcePath })).errors[0]?.message;
    expect(await errorOf('a.json')).toBe('source_path must be an absolute path');
    expect(await errorOf(home)).toBe('it is not a file');
    expect(await errorOf(big)).toBe(`it is larger than ${maxFileBytes} bytes`);
  });
});

describe('attaching', () => {
  it.each(clientKinds)('to $id and detaching leaves the bytes of its file as they were', async ({ id }) => {
    const { clients, state } = await openHome('linux');
    const path = (await clients.list()).find((client) => client.id === id)?.path ?? '';
    const before = await readFile(path);
    const attached = await clients.attach(id);
    expect(attached).toEqual({ client: id, path, changed: true, backupPath: expect.stringContaining(state) });
    expect(await readFile(attached.backupPath ?? '')).toEqual(before);
    expect(await modeOf(attached.backupPath ?? '')).toBe(0o600);
    expect(await modeOf(join(attached.backupPath ?? '', '..'))).toBe(0o700);
    expect((await clients.list()).find((client) => client.id === id)?.attached).toBe(true);
    expect(await clients.attach(id)).toEqual({ client: id, path, changed: false, backupPath: null });
    const detached = await clients.detach(id);
    expect(detached).toMatchObject({ changed: true, backupPath: expect.stringContaining(state) });
    expect(await readFile(path)).toEqual(before);
    expect(await clients.detach(id)).toEqual({ client: id, path, changed: false, backupPath: null });
  });

  it('keeps a concurrent change of the file', async () => {
    const { clients, home } = await openHome('linux');
    await clients.attach('zed');
    const path = join(home, zedFile);
    await writeFile(path, (await readFile(path, 'utf8')).replace('"vim_mode": true', '"vim_mode": false'));
    await clients.detach('zed');
    const before = await readFile(join(homes, 'linux', zedFile), 'utf8');
    expect(await readFile(path, 'utf8')).toBe(before.replace('"vim_mode": true', '"vim_mode": false'));
  });

  it('keeps the mode, follows links and leaves no other file', async () => {
    const { clients, home } = await openHome('linux');
    const path = join(home, '.cursor/mcp.json');
    const real = join(home, 'dotfiles.json');
    await rename(path, real);
    await symlink(real, path);
    await chmod(real, 0o640);
    await clients.attach('cursor');
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect(await modeOf(real)).toBe(0o640);
    expect(await readFile(real, 'utf8')).toContain('"portico"');
    expect(await readdir(join(home, '.cursor'))).toEqual(['mcp.json']);
    expect((await readdir(home)).filter((name) => name.includes('portico'))).toEqual([]);
  });

  it('keeps a byte order mark and the line ends of Windows', async () => {
    const { clients, home } = await openHome();
    await mkdir(join(home, '.cursor'));
    const path = join(home, '.cursor/mcp.json');
    const before = await readFile(join(homes, 'windows/AppData/Roaming/Claude/claude_desktop_config.json'));
    await writeFile(path, before);
    await clients.attach('cursor');
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(/^\uFEFF\{\r\n/);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    await rm(join(home, '.cursor'), { recursive: true });
    await mkdir(join(home, '.cursor'));
    await writeFile(path, text);
    await clients.detach('cursor');
    expect(await readFile(path)).toEqual(before);
  });

  it('makes a file where the client is there without one, and removes it again', async () => {
    const { clients, home } = await openHome();
    await mkdir(join(home, '.cursor'));
    const path = join(home, '.cursor/mcp.json');
    expect(await clients.attach('cursor')).toMatchObject({ changed: true, backupPath: null });
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ mcpServers: { portico: serve } });
    expect(await modeOf(path)).toBe(0o600);
    await clients.detach('cursor');
    expect(await readdir(join(home, '.cursor'))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['cursor', '', 'its folder'],
    ['codex', 'a = ', 'not valid TOML'],
    ['claude-code', '// c\n{}', 'line 1, column 1: not valid JSON'],
    ['zed', '{"context_servers": {"portico": {"command": "other"}}}', 'is not Portico; rename that one first'],
  ])('leaves the file of %s as it is where it cannot', async (id, text, reason) => {
    const { clients, state } = await openHome();
    const path = (await clients.list()).find((client) => client.id === id)?.path ?? '';
    if (text !== '') {
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, text);
    }
    await expect(clients.attach(id)).rejects.toMatchObject({
      code: 'unusable',
      message: expect.stringContaining(reason),
    });
    if (text !== '') expect(await readFile(path, 'utf8')).toBe(text);
    expect(await readdir(state)).toEqual([]);
  });

  it('follows no link to nowhere and takes no text that is not UTF-8', async () => {
    const { clients, home } = await openHome();
    await mkdir(join(home, '.cursor'));
    await symlink(join(home, 'gone'), join(home, '.cursor/mcp.json'));
    await expect(clients.attach('cursor')).rejects.toThrow('it is a link to a file that is not there');
    await mkdir(join(home, '.gemini'));
    await writeFile(join(home, '.gemini/settings.json'), Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(clients.attach('gemini-cli')).rejects.toThrow('it is not UTF-8');
  });

  it('knows no other client', async () => {
    const { clients } = await openHome();
    await expect(clients.attach('emacs')).rejects.toMatchObject({ code: 'unknown' });
    await expect(clients.detach('__proto__')).rejects.toMatchObject({ code: 'unknown' });
  });

  it('lets 20 requests at once come in turn, and writes once', async () => {
    const { clients } = await openHome('linux');
    const changes = await Promise.all(Array.from({ length: 20 }, () => clients.attach('zed')));
    expect(changes.filter(({ changed }) => changed)).toHaveLength(1);
  });
});

describe('undoing', () => {
  it('puts the last copy back byte for byte, and can be undone', async () => {
    const { clients, home } = await openHome('linux');
    const path = join(home, zedFile);
    const before = await readFile(path);
    await clients.attach('zed');
    const attached = await readFile(path);
    await clients.undo('zed');
    expect(await readFile(path)).toEqual(before);
    await clients.undo('zed');
    expect(await readFile(path)).toEqual(attached);
  });

  it('needs a copy, and keeps 20 of them', async () => {
    const { clients, state } = await openHome('linux');
    await expect(clients.undo('zed')).rejects.toThrow('there is no copy of it from before a change');
    for (let i = 0; i < 12; i++) {
      await clients.attach('zed');
      await clients.detach('zed');
    }
    const [folder = ''] = await readdir(join(state, 'client-backups'));
    expect(await readdir(join(state, 'client-backups', folder))).toHaveLength(20);
  });
});

describe('a preview', () => {
  it('shows the text before and after, and writes nothing', async () => {
    const { clients, home } = await openHome('linux');
    const before = await readFile(join(home, zedFile), 'utf8');
    const preview = await clients.preview('zed', 'attach');
    expect(preview).toMatchObject({ path: join(home, zedFile), before });
    expect(await readFile(join(home, zedFile), 'utf8')).toBe(before);
    await clients.attach('zed');
    expect(await readFile(join(home, zedFile), 'utf8')).toBe(preview.after);
    expect((await clients.preview('zed', 'detach')).after).toBe(before);
  });
});
