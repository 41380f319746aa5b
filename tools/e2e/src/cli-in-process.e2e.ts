// Commands that need no daemon do their work in a host of their own; the others say what they need.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { porticoAt, startPortico } from './support/cli.js';
import { startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { argsOf, placeOf } from './support/mcp.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually, freePort, isAlive } from './support/wait.js';

vi.setConfig({ testTimeout: 120_000 }); // many commands, and the machine may be busy

describe('where no daemon runs', () => {
  it('the configuration is changed in its file, for the next daemon [cli-command]', async () => {
    const place = placeOf({ mcpServers: {} });
    const portico = porticoAt(place);
    const upstream = scripted({ tools: [tool('a')] });
    const { command, args } = upstream.server;
    const added = await portico(['server', 'add', 's', '--', command, ...args]);
    expect(added).toMatchObject({ code: 0, stdout: 's: added\n', stderr: expect.stringMatching(/^no daemon runs/) });
    expect(JSON.parse(readFileSync(place.configFile, 'utf8')).mcpServers).toEqual({ s: { command, args } });
    expect((await portico(['server', 'list', '--json'])).json()).toEqual({
      ok: true,
      servers: [{ id: 's', transport: 'stdio', status: 'not_running' }],
    });
    const tested = await portico(['server', 'test', 's']);
    expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/^s: connected, MCP \S+, 1 tool,/) });
    expect(isAlive(upstream.received()[0]?.pid ?? 0)).toBe(false);

    const refused = { code: 3, stdout: '', stderr: expect.stringMatching(/^no daemon answers at .*--config/) };
    expect(await portico(['list'])).toMatchObject(refused);
    expect((await portico(['call', 's.a', '--in-process'])).stdout).toBe('a\n');
    expect(await portico(['audit', 'events'])).toMatchObject({ code: 3, stderr: expect.stringMatching(/in memory/) });
  });

  it('Ctrl-C counts while the servers start: the call is not sent', async () => {
    const upstream = scripted({ tools: [tool('a')] });
    const started = join(tempFolder(), 'started');
    const source = `require('node:fs').writeFileSync(${JSON.stringify(started)}, ''); setInterval(() => {}, 1000)`;
    const silent = { command: process.execPath, args: ['-e', source] };
    const place = placeOf({ mcpServers: { s: upstream.server, silent } });
    const call = startPortico([...argsOf(place), 'call', 's.a', '--in-process']);
    await eventually(() => expect(existsSync(started)).toBe(true));
    call.child.kill('SIGINT');
    expect(await call.exited).toMatchObject({ code: 130, stdout: '' });
    expect(upstream.received('tools/call')).toEqual([]);
  });

  it('the audit log in its file is read', async () => {
    const place = placeOf({ mcpServers: {}, audit: { filePath: join(tempFolder(), 'audit.jsonl') } });
    const portico = porticoAt(place);
    await portico(['config', 'profile', 'set', 'none', '--description', 'x']);
    await portico(['server', 'add', 's', '--definition', '{"command": "true"}']);
    expect((await portico(['audit', 'events', '--type', 'config_change'])).stdout).toMatch(/config_change +success/);
    expect(await portico(['audit', 'verify'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/: valid/) });
  });

  it('AI clients are attached, with a look before', async () => {
    const place = placeOf({ mcpServers: {} });
    const home = tempFolder();
    const portico = porticoAt(place, { HOME: home, CODEX_HOME: home });
    const file = join(home, 'config.toml');
    const preview = await portico(['clients', 'attach', 'codex', '--preview']);
    expect(preview.stdout).toMatch(/^\S+config\.toml, line 1:\n\+ \[mcp_servers\.portico\]\n/);
    expect(existsSync(file)).toBe(false);
    expect(await portico(['clients', 'attach', 'codex'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect((await portico(['clients', 'list'])).stdout).toMatch(/codex +Codex +yes +no/);
    expect(await portico(['clients', 'attach', 'codex', '--yes'])).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toContain('[mcp_servers.portico]');
    expect((await portico(['clients', 'list'])).stdout).toMatch(/codex +Codex +yes +yes/);
    expect(await portico(['clients', 'detach', 'codex', '--yes'])).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
    expect(await portico(['clients', 'attach', 'emacs'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no AI client/),
    });
  });
});

describe('the address of a daemon', () => {
  it('stands in the state directory, for its owner, until it ends', async () => {
    const place = placeOf({ mcpServers: {} });
    const daemon = await startDaemon(undefined, place);
    const file = join(place.stateDir, 'http-address');
    expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(daemon.url);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await daemon.stop();
    expect(existsSync(file)).toBe(false);
  });

  it('that was killed is ignored: another listener at its address receives nothing', async () => {
    const [port, wanted] = [await freePort(), await freePort()];
    const place = placeOf({ mcpServers: {}, port });
    const args = [...argsOf(place), '--port', String(wanted)];
    const daemon = await startDaemonProcess(undefined, { args, stateDir: null });
    await daemon.stop('SIGKILL');
    const delivered: unknown[] = [];
    const stranger = createServer(({ url, headers }, response) => {
      delivered.push([url, headers.authorization]);
      response.end('{"ok":true}');
    });
    await new Promise<void>((resolve) => stranger.listen(daemon.port, '127.0.0.1', resolve));
    onCleanup(() => void stranger.close());
    const portico = porticoAt(place, { PORTICO_TOKEN: 'secret' });
    expect(await portico(['server', 'list', '--json'])).toMatchObject({ code: 0 });
    expect(await portico(['list'])).toMatchObject({ code: 3, stderr: expect.stringContaining(`:${port} `) });
    expect(delivered).toEqual([]);
  });
});
