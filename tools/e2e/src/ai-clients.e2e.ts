// AI clients of a home: what a daemon finds in it, and how it puts Portico into their files and takes it out again.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { send } from './support/client.js';
import { repository, startDaemon } from './support/daemon.js';
import { argsOf, cliMain, hello, placeOf, run } from './support/mcp.js';
import { missingFolder } from './support/missing.js';
import type { Envelope } from './support/wire.js';

const homes = join(repository, 'packages/io/config-host/src/ai-clients/testing/homes');
const ids = ['claude-desktop', 'claude-code', 'cursor', 'windsurf', 'vscode', 'zed', 'codex', 'gemini-cli', 'opencode'];

interface Client {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly detected: boolean;
  readonly attached: boolean;
}
interface Change {
  readonly ok: boolean;
  readonly client: string;
  readonly backup_path: string | null;
}

/** A daemon in a home of its own, with the files of every client. */
async function start({ isEmpty = false } = {}) {
  const home = tempFolder();
  if (!isEmpty) cpSync(join(homes, 'linux'), home, { recursive: true });
  const env = { HOME: home, XDG_CONFIG_HOME: '', CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' };
  const config = { mcpServers: { airtable: { command: `${missingFolder}/airtable` } } };
  const daemon = await startDaemon(config, { env });
  const clients = async () => (await daemon.get<{ readonly clients: readonly Client[] }>('/v1/clients')).body.clients;
  const client = async (id: string) => (await clients()).find((known) => known.id === id) as Client;
  const change = (id: string, action: 'attach' | 'detach') => daemon.post<Change>(`/v1/clients/${id}/${action}`, {});
  return { home, env, daemon, clients, client, change };
}

describe('AI clients', () => {
  it('are listed with their files, whether they are there and whether Portico is attached [clients-list] [clients-list-shape]', async () => {
    const { home, clients, change } = await start();
    const listed = await clients();
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(listed[5]).toEqual({
      id: 'zed',
      name: 'Zed',
      path: join(home, '.config/zed/settings.json'),
      detected: true,
      attached: false,
      direct_servers: [
        { name: 'postgres', behind_as: null, problem: null },
        { name: 'docs', behind_as: null, problem: null },
        { name: 'mcp-server-context7', behind_as: null, problem: expect.stringContaining('command') },
      ],
    });
    await change('zed', 'attach');
    expect((await clients()).filter(({ attached }) => attached).map(({ id }) => id)).toEqual(['zed']);
    const empty = await start({ isEmpty: true });
    expect((await empty.clients()).filter(({ detected }) => detected)).toEqual([]);
  });

  it('show the servers of their files [config-ecosystem-route]', async () => {
    const { home, daemon } = await start();
    const { status, body } = await daemon.get<{ readonly clients: readonly object[] }>('/v1/config/ecosystem');
    expect([status, body.clients.length]).toEqual([200, ids.length]);
    expect(body.clients).toContainEqual({
      id: 'codex',
      name: 'Codex',
      path: join(home, '.codex/config.toml'),
      exists: true,
      servers: ['context7', 'figma'],
    });
  });

  it('show what can be imported without any of its secrets [config-sources-route]', async () => {
    const { home, daemon } = await start();
    const { status, body, text } = await daemon.get<{ readonly sources: readonly object[] }>('/v1/config/sources');
    expect(status).toBe(200);
    expect(text).not.toContain('planted');
    expect(body.sources).toContainEqual({
      client: 'claude-code',
      path: join(home, '.claude.json'),
      server_id: 'airtable',
      definition: { command: 'npx', args: ['-y', 'airtable-mcp-server'], env: { AIRTABLE_API_KEY: '********' } },
      already_configured: true,
    });
    expect(body.sources).toContainEqual(
      expect.objectContaining({ client: 'claude-desktop', server_id: 'brave-search', already_configured: false }),
    );
  });
});

describe('importing', () => {
  /** A file in the form that most clients have. */
  async function withFile() {
    const { daemon } = await start({ isEmpty: true });
    const path = join(tempFolder(), 'found.json');
    const mcpServers = {
      airtable: { command: `${missingFolder}/other` },
      notes: { command: `${missingFolder}/notes`, env: { NOTES_KEY: 'planted' } },
      odd: { command: 7 },
    };
    writeFileSync(path, JSON.stringify({ mcpServers }));
    const importing = (body: object) => daemon.post<Imported>('/v1/config/import', body);
    const file = (await daemon.get<{ readonly config_path: string }>('/v1/config')).body.config_path;
    return { file, path, importing };
  }
  interface Imported {
    readonly imported: readonly string[];
    readonly skipped: readonly { readonly server_id: string; readonly reason: string }[];
    readonly errors: readonly unknown[];
  }

  it('takes the servers of a named file, leaves what is configured and says what it cannot use [config-import-route] [config-import-request] [config-import-shape]', async () => {
    const { file, path, importing } = await withFile();
    const first = await importing({ source_path: path, overwrite: null });
    expect(first.status).toBe(200);
    expect(Object.keys(first.body).sort()).toEqual(['errors', 'imported', 'ok', 'skipped']);
    expect(first.body).toMatchObject({ ok: true, imported: ['notes'], errors: [] });
    const reasons = first.body.skipped.map(({ server_id, reason }) => `${server_id}: ${reason}`);
    expect(reasons.sort()).toEqual([
      'airtable: a server of that id is configured; overwrite (--overwrite) replaces it',
      'odd: command: expected string, got number',
    ]);
    expect(readFileSync(file, 'utf8')).toContain(`${missingFolder}/airtable`);
    expect(readFileSync(file, 'utf8')).toContain('planted');
    expect(first.text).not.toContain('planted');
  });

  it('replaces configured servers on request [config-import-request]', async () => {
    const { file, path, importing } = await withFile();
    const { body } = await importing({ source_path: path, overwrite: true });
    expect([...body.imported].sort()).toEqual(['airtable', 'notes']);
    expect(readFileSync(file, 'utf8')).toContain(`${missingFolder}/other`);
  });

  it('without a file looks at every known client, and there may be none [config-import-request]', async () => {
    const { importing } = await withFile();
    expect((await importing({ source_path: null })).body).toEqual({ ok: true, imported: [], skipped: [], errors: [] });
  });

  it('says of a file that cannot be read why, by its path [config-import-shape]', async () => {
    const { importing } = await withFile();
    const { status, body } = await importing({ source_path: `${missingFolder}/file.json` });
    expect([status, body.imported, body.errors.length]).toEqual([200, [], 1]);
    expect(JSON.stringify(body.errors)).toMatch(/proc\/0\/file\.json.*(ENOENT|no such file|not there)/);
  });

  it.each([{ source_path: 7 }, { overwrite: 'yes' }])(
    'refuses %j and changes nothing [config-import-request]',
    async (body) => {
      const { file, importing } = await withFile();
      const before = readFileSync(file);
      const { status, body: answer } = await importing(body);
      expect([status, (answer as unknown as Envelope).error?.code]).toEqual([400, 'INVALID_ARGS']);
      expect(readFileSync(file)).toEqual(before);
    },
  );
});

describe('attaching and detaching', () => {
  it.each(ids)(
    'writes Portico into the file of %s and takes it out to the byte [clients-attach] [clients-detach] [clients-change-shape]',
    async (id) => {
      const { client, change } = await start();
      const { path } = await client(id);
      const before = readFileSync(path);
      const attached = await change(id, 'attach');
      expect([attached.status, attached.body]).toEqual([
        200,
        { ok: true, client: id, backup_path: expect.any(String) },
      ]);
      const backup = attached.body.backup_path ?? '';
      expect(readFileSync(backup)).toEqual(before);
      expect(statSync(backup).mode & 0o777).toBe(0o600);
      const written = readFileSync(path);
      expect((await change(id, 'attach')).body).toEqual({ ok: true, client: id, backup_path: null });
      expect(readFileSync(path)).toEqual(written);
      expect((await change(id, 'detach')).body.backup_path).toEqual(expect.any(String));
      expect(readFileSync(path)).toEqual(before);
      expect((await change(id, 'detach')).body).toEqual({ ok: true, client: id, backup_path: null });
    },
  );

  it('keeps comments and every other line, and is undone by its backup [clients-attach]', async () => {
    const { home, change, client } = await start();
    const path = join(home, '.config/zed/settings.json');
    const before = readFileSync(path, 'utf8');
    const { body } = await change('zed', 'attach');
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(before.split('\n').filter((line) => !lines.includes(line))).toEqual([]);
    copyFileSync(body.backup_path ?? '', path);
    expect((await client('zed')).attached).toBe(false);
  });

  it('has the client run Portico, which joins this daemon [clients-attach]', async () => {
    const { home, env, change } = await start();
    await change('cursor', 'attach');
    const text = readFileSync(join(home, '.cursor/mcp.json'), 'utf8');
    const { command, args } = JSON.parse(/"portico": (\{[^}]*\})/.exec(text)?.[1] ?? '{}');
    expect([command, ...args].filter((word: string) => word.startsWith('/')).every(existsSync)).toBe(true);
    expect(command).toBe(process.execPath);
    const { child, line } = run(args[0], args.slice(1), env);
    child.stdin.write(`${JSON.stringify(hello(1))}\n`);
    expect(await line('"serverInfo"')).toContain('"portico"');
  });

  it('has the client run `portico mcp-stdio` where the daemon is `portico daemon`', async () => {
    const home = tempFolder();
    mkdirSync(join(home, '.cursor'));
    const place = placeOf({ mcpServers: {} });
    const { line } = run(cliMain, ['daemon', ...argsOf(place), '--port', '0'], { HOME: home });
    const url = (await line('portico listening on ')).replace('portico listening on ', '');
    await send(`${url}/v1/clients/cursor/attach`, { method: 'POST' });
    expect(JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8'))).toEqual({
      mcpServers: { portico: { command: process.execPath, args: [cliMain, 'mcp-stdio', ...argsOf(place)] } },
    });
  });

  it('makes a file where the client is there without one', async () => {
    const { home, change } = await start({ isEmpty: true });
    mkdirSync(join(home, '.gemini'));
    expect((await change('gemini-cli', 'attach')).body).toEqual({ ok: true, client: 'gemini-cli', backup_path: null });
    const path = join(home, '.gemini/settings.json');
    expect(Object.keys(JSON.parse(readFileSync(path, 'utf8')).mcpServers)).toEqual(['portico']);
    await change('gemini-cli', 'detach');
    expect(existsSync(path)).toBe(false);
  });

  it('answers 404 for an unknown client and 409 where a file does not allow it, which stays as it is', async () => {
    const { home, daemon } = await start({ isEmpty: true });
    const ask = async (id: string, action = 'attach') => {
      const { status, body } = await daemon.post<Envelope>(`/v1/clients/${id}/${action}`, {});
      return [status, body.error?.code, body.error?.message];
    };
    expect(await ask('emacs')).toEqual([404, 'RESOURCE_NOT_FOUND', expect.stringContaining('no AI client "emacs"')]);
    expect(await ask('emacs', 'detach')).toEqual([404, 'RESOURCE_NOT_FOUND', expect.any(String)]);
    expect(await ask('zed')).toEqual([409, 'INVALID_ARGS', expect.stringContaining('start Zed once')]);
    const path = join(home, '.codex/config.toml');
    mkdirSync(dirname(path));
    writeFileSync(path, 'model = planted\n');
    const [status, , message] = await ask('codex');
    expect([status, message]).toEqual([409, expect.stringContaining('line 1, column')]);
    expect(message).not.toContain('planted');
    expect(readFileSync(path, 'utf8')).toBe('model = planted\n');
  });

  it('leaves a record, of a try too', async () => {
    const { daemon, change } = await start();
    await change('vscode', 'attach');
    await change('emacs', 'attach');
    const events = (await auditOf(daemon).events()).filter(({ event_type }) => event_type === 'config_change');
    expect(events).toMatchObject([
      { status: 'failed', details: { action: 'client_attach', client: 'emacs' } },
      { status: 'success', details: { action: 'client_attach', client: 'vscode', changed: true } },
    ]);
  });
});
