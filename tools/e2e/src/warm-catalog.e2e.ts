// The lists of servers outlive the daemon, so that lists answer before any server is connected; and lazy servers run
// only while they are needed.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { openUpdates } from './support/event-stream.js';
import { argsOf, connectClient, mcpStdioMain, placeOf } from './support/mcp.js';
import { dead, fixture, recordRequests, type Scripted, scripted, startHttpFixture, tool } from './support/upstreams.js';
import { eventually, isAlive } from './support/wait.js';

interface Feed {
  readonly cursor: string;
  readonly events: readonly { readonly change_type: string; readonly object_id: string }[];
}

const tools = [
  tool('push', { description: 'Pushes commits to a remote' }),
  tool('never'),
  tool('crash'),
  tool('slow'),
  tool('announce'),
  tool('held'),
];
const lazy = { lifecycle: 'lazy', idleStopSecs: 1 };

const feedOf = async (daemon: Daemon, after?: string) =>
  (await daemon.get<Feed>(`/v1/catalog/events${after === undefined ? '' : `?after=${after}`}`)).body;
const eventsSince = async (daemon: Daemon, after: string) =>
  (await feedOf(daemon, after)).events.map(({ change_type, object_id }) => `${change_type} ${object_id}`);
const reaches = (daemon: Daemon, id: string, expected: object) =>
  eventually(async () => expect(await daemon.server(id)).toMatchObject(expected));
const pidsOf = (upstream: Scripted) => [...new Set(upstream.received().map(({ pid }) => pid))];
const newState = () => join(tempFolder(), 'state');
/** The processes of a server have ended, and it says that it is idle. */
const stops = async (daemon: Daemon, id: string, upstream: Scripted) => {
  await reaches(daemon, id, { status: 'idle' });
  await eventually(() => expect(pidsOf(upstream).filter(isAlive)).toEqual([]));
};

describe('a restart', () => {
  it('answers lists, search and describe at once, as they were, and announces nothing', async () => {
    const upstream = scripted({ tools, prompts: [{ name: 'hi' }], resources: [{ uri: 'x://y', name: 'y' }] });
    const config = { mcpServers: { s: upstream.server, gone: dead } };
    const stateDir = newState();
    const first = await startDaemon(config, { stateDir });
    await first.connected('s');
    const before = await first.list('capabilities');
    const described = await first.get('/v1/capabilities/s.push');
    const { cursor } = await feedOf(first);
    await first.stop();

    upstream.define({ tools, prompts: [{ name: 'hi' }], resources: [{ uri: 'x://y', name: 'y' }], isHeld: true });
    const second = await startDaemon(config, { stateDir });
    const after = await second.list('capabilities');
    expect((await second.server('s')).status).toBe('connecting');
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag]);
    const unchanged = await second.list('capabilities', { 'if-none-match': before.headers.etag ?? '' });
    expect([unchanged.status, unchanged.headers.etag]).toEqual([304, before.headers.etag]);
    expect([await second.ids('prompts'), await second.ids('resources')]).toEqual([['s.hi'], ['s.x://y']]);
    const { body: search } = await second.search({ query: 'push commits', limit: 1 });
    expect(search.capabilities.map(({ id }) => id)).toEqual(['s.push']);
    expect((await second.get('/v1/capabilities/s.push')).text).toBe(described.text);
    expect(await second.server('s')).toMatchObject({ tools: tools.length, prompts: 1, resources: 1 });
    const early = second.call('s.push');
    await reaches(second, 's', { status: 'connecting', running: 1 }); // it waits, in the place that it has

    const updates = await openUpdates(second);
    upstream.define({ tools, prompts: [{ name: 'hi' }], resources: [{ uri: 'x://y', name: 'y' }] });
    expect((await early).status).toBe(200);
    expect([(await second.server('s')).status, upstream.received('tools/call').length]).toEqual(['connected', 1]);
    expect((await second.list('capabilities')).headers.etag).toBe(before.headers.etag);
    upstream.define({ tools: [...tools, tool('late')] }); // a change to wait for: no notification came before it
    await second.call('s.announce', { kind: 'tools' });
    await eventually(() => expect(updates.events('catalog_changed')).toHaveLength(1));
    expect(await eventsSince(second, cursor)).toEqual(['removed s.x://y', 'removed s.hi', 'added s.late']);
  });

  it("reports exactly the differences in a server's lists", async () => {
    const upstream = scripted({ tools: [tool('a'), tool('b', { description: 'old' }), tool('c')] });
    const config = { mcpServers: { s: upstream.server } };
    const stateDir = newState();
    const first = await startDaemon(config, { stateDir });
    await first.connected();
    const version = (await first.list('capabilities')).body.catalog_version;
    const { cursor } = await feedOf(first);
    await first.stop();

    const changed = [tool('a'), tool('b', { description: 'new' }), tool('d')];
    upstream.define({ tools: changed, isHeld: true });
    const second = await startDaemon(config, { stateDir });
    const updates = await openUpdates(second);
    expect([await second.ids('capabilities'), await eventsSince(second, cursor)]).toEqual([['s.a', 's.b', 's.c'], []]);
    upstream.define({ tools: changed });
    await eventually(() => expect(updates.events('catalog_changed')).toHaveLength(1));
    expect(updates.events('catalog_changed')[0]?.data).toMatchObject({
      added: ['s.d'],
      removed: ['s.c'],
      updated: ['s.b'],
      servers: ['s'],
    });
    expect(await eventsSince(second, cursor)).toEqual(['removed s.c', 'updated s.b', 'added s.d']);
    expect((await second.list('capabilities')).body.catalog_version).not.toBe(version);
  });

  it('uses nothing of a server whose command changed in between', async () => {
    const upstream = scripted({ tools });
    const stateDir = newState();
    const first = await startDaemon({ mcpServers: { s: upstream.server, kept: { ...upstream.server } } }, { stateDir });
    await first.connected();
    await first.stop();
    upstream.define({ tools, isHeld: true });
    const { command, args } = upstream.server;
    const second = await startDaemon(
      { mcpServers: { s: { command, args: [...args, 'other'] }, kept: { ...upstream.server, ...lazy } } },
      { stateDir },
    );
    const servers = new Set((await second.list('capabilities')).body.capabilities.map(({ server }) => server));
    expect(servers).toEqual(new Set(['kept']));
    expect((await second.get('/v1/capabilities/s.push')).status).toBe(404);
    upstream.define({ tools });
    await second.connected('s');
    expect(await second.ids('capabilities')).toContain('s.push');
  });
});

describe('a call that comes before a server that is listed has been connected for the first time', () => {
  async function restarted(config: object, then: Parameters<Scripted['define']>[0]) {
    const upstream = scripted({ tools });
    const stateDir = newState();
    const file = { ...config, mcpServers: { s: upstream.server } };
    const first = await startDaemon(file, { stateDir });
    await first.connected();
    await first.stop();
    upstream.define(then);
    return { upstream, daemon: await startDaemon(file, { stateDir }) };
  }
  const held = { tools, isHeld: true };

  it('is refused with the reason when the server ends instead, and so is the next', async () => {
    const { upstream, daemon } = await restarted({}, held);
    const early = daemon.call('s.push');
    await reaches(daemon, 's', { status: 'connecting', running: 1 });
    const handshakes = () => upstream.received('initialize');
    await eventually(() => expect(handshakes()).toHaveLength(2)); // ending earlier, it is started again the older way
    process.kill(handshakes()[1]?.pid ?? 0, 'SIGKILL');
    const { status, body } = await early;
    expect([status, body.error, body.retry]).toMatchObject([
      502,
      {
        code: 'SERVER_UNREACHABLE',
        message: 'server "s" is degraded: the process was ended by SIGKILL',
        retryable: true,
      },
      { upstream_execution_state: 'not_started' },
    ]);
    expect((await daemon.call('s.push')).body.error).toEqual(body.error);
    upstream.define({ tools });
    await daemon.connected();
    expect((await daemon.call('s.push')).status).toBe(200);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });

  it('waits no longer than it may, and its key is free for another try', async () => {
    const { upstream, daemon } = await restarted({ toolTimeoutMs: 2000 }, held);
    const call = () => daemon.call('s.push', {}, { idempotency_key: 'k' });
    const { status, body } = await call();
    expect([status, body.error, body.retry]).toMatchObject([
      504,
      {
        code: 'UPSTREAM_TIMEOUT',
        message: 'server "s" could not be sent the call within 2000 ms (toolTimeoutMs): it is still starting',
      },
      { upstream_execution_state: 'not_started' },
    ]);
    expect(await daemon.server('s')).toMatchObject({ status: 'connecting', circuit: { consecutive_failures: 0 } });
    upstream.define({ tools });
    await daemon.connected();
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    expect(upstream.received('tools/call')).toHaveLength(1);
  });
});

describe('a lazy server', () => {
  /** A daemon whose lazy server is known and has stopped. */
  async function known(definitions = { tools }) {
    const upstream = scripted(definitions);
    const config = { mcpServers: { s: { ...upstream.server, ...lazy } }, mcpHttpServer: { port: 0 } };
    const stateDir = newState();
    const first = await startDaemon(config, { stateDir });
    await eventually(() => expect(pidsOf(upstream)).toHaveLength(1)); // once, to learn what it offers
    await stops(first, 's', upstream);
    return { upstream, config, stateDir, first };
  }

  it('has no process before it is called, stops when it is not used, and starts again', async () => {
    const { upstream, config, stateDir, first } = await known();
    expect(await first.ids('capabilities')).toContain('s.push');
    await first.stop();
    const daemon = await startDaemonProcess(config, { stateDir });
    const info = await daemon.server('s');
    expect([info.status, info.pid, info.tools, info.protocol_version]).toEqual(['idle', undefined, tools.length, null]);
    expect((await daemon.get('/readyz')).body).toEqual({ ok: true, servers: { s: 'idle' } });
    expect((await daemon.get('/metrics')).text).toContain('portico_server_status{server="s",status="idle"} 1');
    expect(pidsOf(upstream)).toHaveLength(1);
    const running = daemon.call('s.held'); // so that it is used while it is looked at
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    const { pid, status, restarts } = await daemon.server('s');
    expect([isAlive(pid), status, restarts]).toEqual([true, 'connected', 0]);
    upstream.release();
    expect((await running).status).toBe(200);
    await stops(daemon, 's', upstream);
    expect((await daemon.call('s.push')).status).toBe(200);
    expect(pidsOf(upstream)).toHaveLength(3);
    const pids = pidsOf(upstream);
    expect((await daemon.stop()).code).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('starts once for twenty calls at once', async () => {
    const { upstream, first } = await known();
    const replies = await Promise.all(Array.from({ length: 20 }, () => first.call('s.push')));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect([pidsOf(upstream).length, upstream.received('tools/call').length]).toEqual([2, 20]);
  });

  it('is not stopped under a call that takes longer than it is kept', async () => {
    const { upstream, first } = await known();
    const slow = await first.call('s.slow', { ms: 2500 });
    expect([slow.status, pidsOf(upstream).length]).toEqual([200, 2]);
    await stops(first, 's', upstream);
  });

  it('loses the call that it is killed with, and serves the next', async () => {
    const { upstream, first } = await known();
    const lost = first.call('s.never');
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    process.kill((await first.server('s')).pid, 'SIGKILL');
    const { status, body } = await lost;
    expect([status, body.error.code, body.retry.upstream_execution_state]).toEqual([
      ...[502, 'SERVER_UNREACHABLE', 'unknown'],
    ]);
    await reaches(first, 's', { status: 'idle', last_error: 'the process was ended by SIGKILL', restarts: 0 });
    expect((await first.call('s.push')).status).toBe(200);
    expect(pidsOf(upstream)).toHaveLength(3);
  });

  it('whose calls have to wait for its start has them wait no longer than they may', async () => {
    const upstream = scripted({ tools });
    const config = { toolTimeoutMs: 2000, mcpServers: { s: { ...upstream.server, ...lazy } } };
    const daemon = await startDaemon(config);
    await eventually(() => expect(pidsOf(upstream)).toHaveLength(1));
    await stops(daemon, 's', upstream);
    upstream.define({ tools, isHeld: true });
    const { status, body } = await daemon.call('s.push');
    expect([status, body.error]).toMatchObject([
      504,
      {
        code: 'UPSTREAM_TIMEOUT',
        message: 'server "s" could not be sent the call within 2000 ms (toolTimeoutMs): it is still starting',
      },
    ]);
    expect(await daemon.server('s')).toMatchObject({ status: 'connecting', circuit: { consecutive_failures: 0 } });
    const late = daemon.call('s.push');
    await reaches(daemon, 's', { status: 'connecting', running: 1 });
    upstream.define({ tools });
    expect((await late).status).toBe(200);
    expect(pidsOf(upstream)).toHaveLength(2);
  });

  it('that cannot be started any more is unreachable, and opens its circuit', async () => {
    const upstream = scripted({ tools });
    const program = join(tempFolder(), 'server');
    const { command, args } = upstream.server;
    writeFileSync(program, `#!/bin/sh\nexec "${command}" ${args.map((arg) => `"${arg}"`).join(' ')}\n`, {
      mode: 0o700,
    });
    const server = { command: program, ...lazy, resilience: { failureThreshold: 2, cooldownMs: 60_000 } };
    const daemon = await startDaemon({ mcpServers: { s: server } });
    await eventually(() => expect(pidsOf(upstream)).toHaveLength(1));
    await stops(daemon, 's', upstream);
    rmSync(program);
    const codes: string[] = [];
    for (let call = 0; call < 3; call += 1) codes.push((await daemon.call('s.push')).body.error.code);
    expect(codes).toEqual(['SERVER_UNREACHABLE', 'SERVER_UNREACHABLE', 'CIRCUIT_OPEN']);
    await reaches(daemon, 's', { status: 'idle', circuit: { state: 'open', consecutive_failures: 2 } });
    expect((await daemon.server('s')).last_error).toContain(program);
    expect(await daemon.ids('capabilities')).toContain('s.push');
  });

  it('is the same to MCP clients whether it runs or not', async () => {
    const { upstream, config, stateDir, first } = await known();
    const url = first.mcpUrl();
    const { configFile } = placeOf(config);
    const clients = [
      await connectClient('v1', { kind: 'http', url }),
      await connectClient('v1', { kind: 'stdio', args: [mcpStdioMain, ...argsOf({ configFile, stateDir })] }),
    ];
    const lists = () => Promise.all(clients.map((client) => client.request('tools/call', listCall)));
    const listCall = { name: 'capabilities_list', arguments: {} };
    const before = await lists();
    for (const client of clients) {
      const called = { name: 'capability_call', arguments: { capability_id: 's.push', args: {} } };
      expect(await client.request('tools/call', called)).toMatchObject({ structuredContent: { ok: true } });
      await stops(first, 's', upstream);
      expect(await lists()).toEqual(before);
    }
    expect(pidsOf(upstream)).toHaveLength(3);
    expect(clients.map((client) => client.listChanges())).toEqual([0, 0]);
    upstream.define({ tools: [...tools, tool('late')] }); // found by the next start, and reported
    await first.call('s.push');
    await eventually(() => expect(clients.map((client) => client.listChanges())).toEqual([1, 1]));
    expect(await first.ids('capabilities')).toContain('s.late');
  });

  it('is started by a restart, and changes its lifecycle while it runs', async () => {
    const { upstream, first } = await known();
    const change = async (server: object) =>
      (await first.post<object>('/v1/config/servers', { name: 's', server: { ...upstream.server, ...server } })).body;
    expect(await change({ ...lazy, idleStopSecs: 60 })).toMatchObject({ status: 'idle' });
    const restarted = await first.post<{ status: string }>('/v1/config/servers/s/restart', {});
    expect([restarted.body.status, pidsOf(upstream).length]).toEqual(['connected', 2]);
    const { pid } = await first.server('s');
    expect(await change({ lifecycle: 'eager' })).toMatchObject({ status: 'connected', changes: { updated: ['s'] } });
    expect((await first.server('s')).pid).toBe(pid);
    expect(await change({ ...lazy, idleStopSecs: 60 })).toMatchObject({ status: 'connected' });
    expect((await first.server('s')).pid).toBe(pid);
    expect(await change(lazy)).toMatchObject({ changes: { updated: ['s'] } });
    await stops(first, 's', upstream);
    expect(await change({ lifecycle: 'eager' })).toMatchObject({ changes: { updated: ['s'] } });
    await reaches(first, 's', { status: 'connected' });
    expect(pidsOf(upstream)).toHaveLength(3);
  });

  it('over HTTP gives its session back when it is not used', async () => {
    const upstream = await startHttpFixture();
    const recorder = await recordRequests(upstream);
    const count = (what: string) => recorder.requests.filter(({ method, rpcMethod }) => what === (rpcMethod ?? method));
    const server = { url: recorder.url, protocolVersion: '2025-11-25', ...lazy };
    const daemon = await startDaemon({ mcpServers: { web: server, beside: fixture() } });
    await reaches(daemon, 'web', { status: 'idle' });
    await eventually(() => expect(count('DELETE')).toHaveLength(1));
    const id = (await daemon.ids('capabilities')).find((found) => found.startsWith('web.')) ?? '';
    const [one] = await Promise.all([daemon.call('web.echo', { text: 'hi' }), daemon.call('web.echo', { text: 'hi' })]);
    expect([one.status, id]).toEqual([200, expect.any(String)]);
    expect(count('initialize')).toHaveLength(2);
    await reaches(daemon, 'web', { status: 'idle' });
    await eventually(() => expect(count('DELETE')).toHaveLength(2));
    expect((await daemon.server('beside')).status).toBe('connected');
  });
});
