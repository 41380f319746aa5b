// Servers of AI clients that move behind Portico: the whole way with the built command, back again, and what stays as it
// was where one of the two files cannot be written.
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { porticoAt } from './support/cli.js';
import { startDaemon } from './support/daemon.js';
import { placeOf } from './support/mcp.js';
import { keys, openTerminal } from './support/terminal.js';
import { dead, fixture } from './support/upstreams.js';

vi.setConfig({ testTimeout: 120_000 }); // a process for every command, and the machine may be busy

const { command, args } = fixture();
const [c, a] = [JSON.stringify(command), JSON.stringify(args)];

interface FileOfClient {
  readonly path: string;
  readonly text: string;
  /** Another program's edit of the file after the move. */
  readonly edit: readonly [from: string, to: string];
}

const files: Readonly<Record<'claude-code' | 'codex' | 'cursor' | 'windsurf', FileOfClient>> = {
  'claude-code': {
    path: '.claude.json',
    text: `{\n  "numStartups": 1,\n  "mcpServers": {\n    "tools": { "type": "stdio", "command": ${c}, "args": ${a} }\n  }\n}`,
    edit: ['"numStartups": 1', '"numStartups": 2'],
  },
  cursor: {
    path: '.cursor/mcp.json',
    text: `{\n  // Mine.\n  "mcpServers": {\n\t"tools": {\n\t  "command": ${c}, // the runtime\n\t  "args": ${a},\n\t  "env": { "API_TOKEN": "planted-token" },\n\t  "autoApprove": ["x"],\n\t},\n  },\n}\n`,
    edit: ['// Mine.', '// Ours.'],
  },
  codex: {
    path: '.codex/config.toml',
    text: `# Mine.\nmodel = "m"\n\n[mcp_servers.tools]\ncommand = ${c}\nargs = ${a} # all\n\n[mcp_servers.tools.env]\nA = "b"\n`,
    edit: ['model = "m"', 'model = "n"'],
  },
  windsurf: {
    path: '.codeium/windsurf/mcp_config.json',
    text: `{"mcpServers": {"tools": {"command": ${c}, "args": ${a}}}}`,
    edit: ['{"mcpServers"', '{"a": 1, "mcpServers"'],
  },
};
const ids = Object.keys(files) as (keyof typeof files)[]; // of a literal

interface Moved {
  readonly servers: readonly {
    readonly name: string;
    readonly status: string | null;
    readonly lost_fields: string[];
  }[];
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}

/** A home with the file of one client, and commands in it; a daemon only where one is asked for. */
function openHome(id: keyof typeof files, config: object = { mcpServers: {} }) {
  const home = tempFolder();
  const { path, text, edit } = files[id];
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const env = { HOME: home, XDG_CONFIG_HOME: '', CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' };
  const place = placeOf(config);
  const run = porticoAt(place, env);
  const read = () => readFileSync(file, 'utf8');
  const replace = (from: string, to: string) => writeFileSync(file, read().replace(from, to));
  const configured = () => JSON.parse(readFileSync(place.configFile, 'utf8')).mcpServers as Record<string, object>;
  return { home, env, place, run, file, text, edit, read, replace, configured };
}

/** Its content stays; its name leaves no room for the name of a temporary file, so that no write succeeds. */
function makeUnwritable(file: string): void {
  const real = join(dirname(file), 'x'.repeat(250));
  renameSync(file, real);
  symlinkSync(real, file);
}

describe('clients move', () => {
  it.each(ids)('puts the server of %s behind Portico, which detaching takes back to the byte', async (id) => {
    const { run, read, text, configured } = openHome(id);
    expect(await run(['clients', 'attach', id, '--yes', '--json'])).toMatchObject({ code: 0 });
    const attached = read();
    const moved = await run(['clients', 'move', id, '--yes', '--json']);
    expect([moved.code, moved.json<Moved>().servers]).toMatchObject([0, [{ name: 'tools', status: 'connected' }]]);
    expect(configured()).toMatchObject({ tools: { command, args } });
    const listed = (await run(['clients', 'list', '--json'])).json<{ clients: { id: string; direct_servers: [] }[] }>();
    expect(listed.clients.find((client) => client.id === id)?.direct_servers).toEqual([]);
    expect((await run(['clients', 'undo', id, '--yes'])).code).toBe(0);
    expect(read()).toBe(attached);
    expect((await run(['clients', 'move', id, '--yes'])).stdout).toContain('moved tools');
    expect((await run(['clients', 'detach', id, '--yes'])).code).toBe(0);
    expect(read()).toBe(text);
  });

  it.each(ids)('leaves edits of %s since then as they are when it is undone', async (id) => {
    const { run, read, replace, edit } = openHome(id);
    await run(['clients', 'attach', id, '--yes', '--move']);
    replace(...edit);
    expect((await run(['clients', 'undo', id, '--yes'])).code).toBe(0);
    expect(read()).toContain(edit[1]);
    const { stdout, stderr } = await run(['clients', 'list']);
    expect(stdout).toContain(id);
    expect(stderr).toContain('still reaches tools directly');
    expect(stderr).toContain(`next: portico clients move ${id} tools`);
  });

  it('shows beforehand what it does and what is lost, without secrets, and changes nothing', async () => {
    const { run, read, text, configured } = openHome('cursor');
    const shown = await run(['clients', 'move', 'cursor', '--dry-run']);
    expect(shown.stdout).toContain('- line 4: tools is removed');
    expect(shown.stdout).toContain('Portico has no equivalent of autoApprove');
    expect(shown.stdout).toContain('env.API_TOKEN: plain secrets');
    expect(shown.stdout).toContain('next: portico clients attach cursor --move');
    const { servers } = (await run(['clients', 'move', 'cursor', '--dry-run', '--json'])).json<Moved>();
    expect(servers).toMatchObject([{ name: 'tools', lost_fields: ['autoApprove'] }]);
    expect(JSON.stringify([shown, servers])).not.toContain('planted');
    expect([read(), configured()]).toEqual([text, {}]);
  });

  it('is refused for a client that is not attached, and needs a terminal or --yes', async () => {
    const { run, read, text } = openHome('cursor');
    expect(await run(['clients', 'move', 'cursor', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('attach it first: portico clients attach cursor --move'),
    });
    expect(read()).toBe(text);
    const attached = await run(['clients', 'attach', 'cursor', '--yes']);
    expect(attached.stderr).toContain('cursor still reaches tools directly; next: portico clients move cursor');
    expect(await run(['clients', 'move', 'cursor'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect((await run(['clients', 'attach', 'cursor', '--yes', '--no-move'])).stderr).toBe('');
  });

  it('leaves a server that does not connect, and one whose name another one has', async () => {
    const { run, replace, configured, read } = openHome('cursor', { mcpServers: { tools: dead } });
    replace('"tools": {', `"gone": ${JSON.stringify(dead)}, "tools": {`);
    replace(`"gone": ${JSON.stringify(dead)}`, `"gone": ${JSON.stringify({ ...dead, args: ['x'] })}`);
    await run(['clients', 'attach', 'cursor', '--yes']);
    const before = read();
    const { code, stderr } = await run(['clients', 'move', 'cursor', '--yes']);
    expect(code).toBe(1);
    expect(stderr).toContain('gone stays: does not connect behind Portico');
    expect(stderr).toContain('tools stays: Portico has another server "tools"');
    expect([configured(), read()]).toEqual([{ tools: dead }, before]);
    expect((await run(['clients', 'move', 'cursor', 'gone', '--yes', '--no-check'])).code).toBe(0);
    expect(Object.keys(configured())).toEqual(['tools', 'gone']);
  });

  it.each(['client', 'configuration'] as const)(
    'leaves both files as they were where that of the %s cannot be written',
    async (which) => {
      const { run, file, place, read } = openHome('cursor');
      await run(['clients', 'attach', 'cursor', '--yes']);
      makeUnwritable(which === 'client' ? file : place.configFile);
      const before = [read(), readFileSync(place.configFile, 'utf8')];
      const { code, stderr } = await run(['clients', 'move', 'cursor', '--yes']);
      expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be written (ENAMETOOLONG)')]);
      expect([read(), readFileSync(place.configFile, 'utf8')]).toEqual(before);
    },
  );

  it('asks on a terminal after the client was attached', async () => {
    const { home, env, place, read } = openHome('windsurf');
    const flags = ['--config', place.configFile, '--state-dir', place.stateDir];
    const terminal = openTerminal([...flags, 'clients', 'attach', 'windsurf'], { cwd: home, env, columns: 200 });
    await terminal.shows(/Write Portico into .* \[y\/N\]/);
    terminal.press('y', keys.enter);
    await terminal.shows('~ line 1: tools gets disabled: true');
    await terminal.shows('Move tools behind Portico? [y/N]');
    terminal.press('y', keys.enter);
    expect(await terminal.exited).toBe(0);
    expect(JSON.parse(read()).mcpServers.tools).toEqual({ command, args, disabled: true });
  });

  it('is offered by init for a client that was attached', async () => {
    const { home, env, read } = openHome('codex');
    const terminal = openTerminal(['init', '--output', 'own.json', '--move'], { cwd: home, env, columns: 120 });
    await terminal.shows('Which servers shall Portico serve?');
    for (const shown of [
      '> own.json_',
      '> 9090_',
      'Ask a person before',
      'from logs?',
      'Report when a server',
      'readable by you',
      'Which AI clients',
    ]) {
      terminal.press(keys.enter);
      await terminal.shows(shown);
    }
    terminal.press(' ');
    await terminal.shows(/\[x\] Codex/);
    terminal.press(keys.enter);
    expect(await terminal.exited).toBe(0);
    await terminal.shows('moved tools (connected)');
    expect(read()).toContain('[mcp_servers.tools]\nenabled = false\n');
  });

  it('has a route, of which there are records, and doctor says what is not moved', async () => {
    const { env, place, run, home } = openHome('cursor');
    const daemon = await startDaemon(undefined, { ...place, env });
    await daemon.post('/v1/clients/cursor/attach', {});
    const warned = await run(['doctor', '--offline']);
    expect(warned.stdout).toContain('Cursor still reaches tools directly');
    expect(warned.stdout).toContain('next: `portico clients move cursor tools`.');
    const { status, body } = await daemon.post<Moved>('/v1/clients/cursor/move', { servers: ['tools'] });
    expect([status, body.servers]).toMatchObject([200, [{ name: 'tools', status: 'connected' }]]);
    const events = (await auditOf(daemon).events()).filter(({ event_type }) => event_type === 'config_change');
    expect(events.slice(0, 2)).toMatchObject([
      { status: 'success', details: { action: 'client_move', client: 'cursor', servers: ['tools'], left: [] } },
      { status: 'success', details: { action: 'import', client: 'cursor', servers: ['tools'], mounted: ['tools'] } },
    ]);
    expect((await run(['doctor', '--offline'])).stdout).not.toContain('directly');
    expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).not.toContain('planted');
  });
});
