// The daemon as a process: how it starts, what it prints where, and what it does before its upstreams are there.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { type Daemon, repository, startDaemon } from './support/daemon.js';
import { runDaemon, startDaemonProcess } from './support/daemon-process.js';
import { endless } from './support/event-stream.js';
import { dead, fixture, type Scripted, scripted, tool } from './support/upstreams.js';
import { accepts, eventually, freePort } from './support/wait.js';
import type { Envelope } from './support/wire.js';

/** Where the socket table can be read, and the configuration has no access rules. */
const rules = [
  process.platform === 'linux'
    ? 'other users of this machine are refused'
    : 'every user of this machine is admitted: this system does not report the owner of a connection',
  `any program of this ${process.platform === 'linux' ? 'user' : 'machine'} may administer without a token (access.operatorToken is off)`,
];
const ready = (port: number) =>
  [`portico listening on http://127.0.0.1:${port}`, ...rules.map((rule) => `portico access: ${rule}`), ''].join('\n');

describe('the daemon starts', () => {
  it('with `node apps/daemon/dist/main.js --config FILE`, on the free port its one line names [daemon-entry-point] [daemon-port-zero] [daemon-ready-line]', async () => {
    const daemon = await startDaemonProcess(
      { port: 1, mcpServers: { s: fixture('--noise') } },
      { args: ['--port', '0'] },
    );
    expect(daemon.port).toBeGreaterThan(1);
    expect((await daemon.get('/healthz')).status).toBe(200);
    await daemon.connected();
    await daemon.call('s.null_call');
    const { stdout } = await daemon.stop();
    expect(stdout).toBe(ready(daemon.port));
  });

  it('with mcp_servers.json of its working directory when no file is named [daemon-default-config-name]', async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, 'mcp_servers.json'), JSON.stringify({ mcpServers: { found_there: dead } }));
    const daemon = await startDaemonProcess(undefined, { cwd });
    expect((await daemon.server('found_there')).transport).toBe('stdio');
  });

  it('on the configured port [daemon-config-port] [config-file-port]', async () => {
    const port = await freePort();
    const daemon = await startDaemonProcess({ port, mcpServers: {} }, { args: [] });
    expect(daemon.stdout()).toBe(ready(port));
  });

  it('on the port of --port, with any configured port [daemon-port-flag]', async () => {
    const [configured, wanted] = [await freePort(), await freePort()];
    const daemon = await startDaemonProcess({ port: configured, mcpServers: {} }, { args: ['--port', String(wanted)] });
    expect(daemon.stdout()).toBe(ready(wanted));
    expect(await accepts(wanted)).toBe(true);
  });

  it('on 127.0.0.1 port 9090 without any setting, or says that this port is taken [daemon-default-address]', async () => {
    const daemon = await startDaemonProcess({ mcpServers: {} }, { args: [] }).catch((error: Error) => error.message);
    if (typeof daemon === 'string') {
      expect(daemon).toContain('ended with 2');
      expect(daemon).toContain('port 9090 of 127.0.0.1 is in use; choose another with --port N');
    } else {
      expect(daemon.stdout()).toBe(ready(9090));
    }
  });

  it('on the address of --bind, and nowhere else [daemon-bind-flag]', async () => {
    // All of 127.0.0.0/8 is this machine on Linux; elsewhere there is the IPv6 loopback.
    const address = process.platform === 'linux' ? '127.0.0.2' : '::1';
    const port = String(await freePort()); // no other process has it at another address
    const daemon = await startDaemonProcess({ mcpServers: {} }, { args: ['--bind', address, '--port', port] });
    expect(new URL(daemon.url).hostname.replace(/[[\]]/g, '')).toBe(address);
    expect((await daemon.get('/healthz')).status).toBe(200);
    expect(await accepts(daemon.port, '127.0.0.1')).toBe(false);
  });

  it('writes its log to stderr, one JSON object a line [daemon-logs-to-stderr]', async () => {
    const daemon = await startDaemonProcess({ mcpServers: { s: fixture() } });
    await daemon.connected();
    const { stdout, stderr } = await daemon.stop();
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ message }) => message)).toEqual(expect.arrayContaining(['server is connected', 'stopping']));
    expect(lines.map(({ level, time }) => [level, new Date(time).toISOString()])).toEqual(
      lines.map(({ level, time }) => [expect.stringMatching(level), time]),
    );
    expect(stdout).toBe(ready(daemon.port));
  });

  it('not where another daemon uses the state directory, and names its process', async () => {
    const stateDir = tempFolder();
    const first = await startDaemonProcess({ mcpServers: {} }, { stateDir });
    const { code, stderr } = await runDaemon({ mcpServers: {} }, { stateDir });
    expect([code, stderr]).toEqual([
      2,
      `state directory ${stateDir} is in use by process ${first.pid}; stop it, or choose another with --state-dir DIR\n`,
    ]);
    await first.stop('SIGKILL');
    await startDaemon({ mcpServers: {} }, { stateDir }); // what a killed daemon leaves is no hindrance
  });

  it('not on a port that is taken: says which, and has contacted no upstream [daemon-opens-before-upstreams]', async () => {
    const taken = createTcpServer().listen(0, '127.0.0.1');
    onCleanup(() => taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const upstream = scripted({ tools: [tool('echo')] });
    const config = { mcpServers: { s: upstream.server } };
    const { code, stdout, stderr } = await runDaemon(config, { args: ['--port', String(port)] });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use; choose another with --port N\n`);
    expect(upstream.received()).toEqual([]);
  });
});

describe('the daemon exits with 2 and says why', () => {
  it('of a config file that is not there or does not parse [daemon-exit-2-missing-config]', async () => {
    const folder = tempFolder();
    const missing = join(folder, 'missing.json');
    const absent = await runDaemon(undefined, { args: ['--config', missing] });
    expect([absent.code, absent.stdout, absent.stderr]).toEqual([
      2,
      '',
      `configuration ${missing} cannot be used:\n  there is no such file; name one with --config FILE\n`,
    ]);
    const broken = await runDaemon('{\n  "mcpServers": {\n');
    expect([broken.code, broken.stdout]).toEqual([2, '']);
    expect(broken.stderr).toMatch(
      /^configuration \/.*config\.json cannot be used:\n {2}line 3, column 1: not valid JSON/,
    );
    const unreadable = await runDaemon(undefined, { args: ['--config', folder] });
    expect([unreadable.code, unreadable.stderr]).toEqual([
      2,
      expect.stringContaining(`configuration ${folder} cannot be used`),
    ]);
  });

  it.each([
    ['--no-such-flag', "error: unknown option '--no-such-flag'"],
    ['--port', "error: option '--port <n>' argument missing"],
    ['--port=http', "error: option '--port <n>' argument 'http' is invalid."],
    ['--port=65536', "error: option '--port <n>' argument '65536' is invalid."],
    ['--log-level=loud', "error: option '--log-level <level>' argument 'loud' is invalid."],
    ['stray', 'error: too many arguments.'],
  ])('of the flag %s [daemon-exit-2-flag]', async (flag, reason) => {
    const { code, stdout, stderr } = await runDaemon({ mcpServers: {} }, { args: [flag] });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(reason);
  });
});

describe('the daemon before its upstreams', () => {
  it('accepts connections by the time the first one is contacted', async () => {
    const port = await freePort();
    const seen: boolean[] = [];
    const upstream = createServer().listen(0, '127.0.0.1');
    onCleanup(() => {
      upstream.closeAllConnections();
      upstream.close();
    });
    upstream.on('connection', async (socket) => {
      seen.push(await accepts(port));
      socket.destroy();
    });
    await new Promise((resolve) => upstream.once('listening', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`;
    await startDaemonProcess({ port, mcpServers: { s: { url } } }, { args: [] });
    await eventually(() => expect(seen).not.toEqual([]));
    expect(seen[0]).toBe(true);
  });

  describe('of which one is dead, one refuses, one is slow and one works', () => {
    let daemon: Daemon;
    let statuses: Readonly<Record<string, string>>;
    let slow: Scripted; // it does not finish its handshake until the test releases it

    const readStatuses = async () => (await daemon.get<{ servers: Record<string, string> }>('/readyz')).body.servers;

    beforeEach(async () => {
      slow = scripted({ isHeld: true });
      daemon = await startDaemon({
        mcpServers: {
          dead: { ...dead, resilience: { maxRestarts: 1000 } }, // they are not used up during the test
          refused: { url: `http://127.0.0.1:${await freePort()}/mcp` },
          slow: slow.server,
          works: fixture(),
        },
      });
      statuses = await readStatuses();
    });

    it('is ready without waiting for any of them [daemon-parallel-connect]', () => {
      expect(Object.keys(statuses)).toEqual(['dead', 'refused', 'slow', 'works']);
      expect(statuses.slow).toBe('connecting');
    });

    it('serves what works, and shows the state of the others [daemon-parallel-connect] [daemon-unready-status] [daemon-readyz]', async () => {
      await daemon.connected('works');
      expect((await daemon.call('works.echo', { text: 'hello' })).status).toBe(200);
      await eventually(async () => {
        const { status, body } = await daemon.get('/readyz');
        expect([status, body]).toEqual([
          200,
          { ok: true, servers: { dead: 'degraded', refused: 'degraded', slow: 'connecting', works: 'connected' } },
        ]);
      });
      const early = await daemon.call('slow.echo', { text: 'too early' });
      expect([early.status, early.body.error.message]).toEqual([502, 'server "slow" is still connecting']);
    });

    it('shows the slow one by itself once it is there [daemon-parallel-connect]', async () => {
      slow.define({ tools: [tool('echo')] });
      await daemon.connected('slow');
      expect(await daemon.ids('capabilities')).toContain('slow.echo');
      expect((await daemon.call('slow.echo', { text: 'now' })).status).toBe(200);
    });
  });

  it('answers /healthz while it is up [daemon-healthz]', async () => {
    const daemon = await startDaemon({ mcpServers: { dead } });
    const { status, body } = await daemon.get('/healthz');
    expect([status, body]).toEqual([200, { ok: true }]);
  });

  it('describes the routes it serves, all of them under /v1 but for probes, metrics and the console [daemon-openapi] [version-path]', async () => {
    const daemon = await startDaemon({ mcpServers: { s: fixture() } });
    await daemon.connected();
    const { status, body } = await daemon.get<{ openapi: string; paths: Record<string, Record<string, object>> }>(
      '/v1/openapi.json',
    );
    expect([status, body.openapi]).toEqual([200, expect.stringMatching(/^3\.1/)]);
    const published = JSON.parse(readFileSync(join(repository, 'docs/openapi.json'), 'utf8'));
    expect(body).toEqual(published);
    const outside = Object.keys(body.paths).filter((path) => !path.startsWith('/v1/'));
    expect(outside.sort()).toEqual(['/', '/healthz', '/metrics', '/readyz', '/ui', '/ui/{path}']);
    for (const [path, operations] of Object.entries(body.paths)) {
      if (endless.has(path)) continue; // see updates.e2e.ts and activity.e2e.ts
      if (path === '/metrics') continue; // is no JSON; see metrics.e2e.ts
      if (path === '/' || path.startsWith('/ui')) continue; // is no JSON; see console.e2e.ts
      const concrete = path
        .replace('/v1/servers/{id}', '/v1/servers/s')
        .replace('{id}', 's.echo')
        .replace('{key}', 'k');
      for (const method of Object.keys(operations)) {
        const answer = await daemon.send<Envelope>(concrete, {
          method: method.toUpperCase(),
          ...(method === 'post' ? { headers: { 'content-type': 'application/json' }, body: '{}' } : {}),
        });
        expect([path, answer.status, answer.body.error?.code]).toEqual([path, ...servedAnswer(method, path)]);
        expect(answer.body.error?.message ?? '').not.toMatch(/no route/);
      }
    }
  });
});

/** A GET answers, or knows no such record; a POST answers, or finds fault with the empty body. */
function servedAnswer(method: string, path: string): readonly unknown[] {
  if (path === '/v1/console/codes') return [200, undefined]; // takes no body
  if (path === '/v1/notices/test') return [200, undefined]; // to all receivers, of which there are none
  if (/^\/v1\/(approvals|grants|audit\/events|idempotency\/records|sampling\/requests|tasks)\/\{\w+\}$/.test(path))
    return [404, 'RESOURCE_NOT_FOUND'];
  if (path === '/v1/tasks/{id}/cancel' || path.startsWith('/v1/traces/{id}/')) return [404, 'RESOURCE_NOT_FOUND'];
  if (path === '/v1/budgets/{id}/reset') return [404, 'RESOURCE_NOT_FOUND']; // there are none
  if (path === '/v1/inspect') return [404, 'RESOURCE_NOT_FOUND']; // inspect.enabled is false
  if (path === '/v1/clients/{id}/preview') return [400, 'INVALID_ARGS']; // it does not say of what
  if (/^\/v1\/clients\/\{id\}\/(attach|move|detach|undo)$/.test(path)) return [404, 'RESOURCE_NOT_FOUND'];
  if (path === '/v1/config/servers/{id}/restart' || method === 'delete') return [404, 'RESOURCE_NOT_FOUND'];
  if (/^\/v1\/config\/(policy|reload|import)$/.test(path)) return [200, undefined]; // nothing is asked of them
  const isOk = method === 'get' || path.endsWith('/search') || path.endsWith('/cancel');
  return isOk ? [200, undefined] : [400, 'INVALID_ARGS'];
}
