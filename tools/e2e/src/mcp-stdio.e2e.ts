// Portico over stdio as a process: alone, beside others on the same state, and when the one they share goes away.
import { describe, expect, it } from 'vitest';
import { startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import {
  argsOf,
  callOf,
  cliMain,
  type DaemonFiles,
  hello,
  initialized,
  mcpStdioMain,
  modernRequest,
  placeOf,
  run,
  type StdioProcess,
  startMcpStdio,
} from './support/mcp.js';
import { fixture, scripted, tool } from './support/upstreams.js';
import { eventually, isAlive } from './support/wait.js';

function setUp() {
  const upstream = scripted({ tools: [tool('echo'), tool('never')] });
  const passthrough = (name: string) => ({ target: `s.${name}`, passthrough: true });
  const config = {
    mcpServers: { s: upstream.server },
    capabilityAliases: { echo: passthrough('echo'), never: passthrough('never') },
  };
  return { upstream, config, place: placeOf(config) };
}

/** For clients that close their end: the five seconds that they may wait for their answers are twenty-five. */
const unhurried: StdioProcess = { clockFactor: 0.2 };

async function open(place: DaemonFiles, args: readonly string[] = [], how: StdioProcess = {}) {
  const client = startMcpStdio(place, args, how);
  client.write(hello(0));
  await client.answer(0);
  client.write(initialized);
  return client;
}

/** The upstream connects in the background; until then a call says so. */
async function isServing(client: Awaited<ReturnType<typeof open>>): Promise<void> {
  let id = 100;
  await eventually(async () => {
    id += 1;
    client.write(callOf(id, 'echo'));
    expect(await client.answer(id)).toMatchObject({ result: { structuredContent: { name: 'echo' } } });
  });
}

describe('alone', () => {
  it('it serves the catalog in-process, and ends with stdin [mcp-stdio-server]', async () => {
    const { place, upstream } = setUp();
    const client = await open(place);
    await isServing(client);
    const pids = upstream.received().map(({ pid }) => pid);
    client.child.stdin.end();
    expect(await client.exited).toBe(0);
    await eventually(() => expect(pids.filter(isAlive)).toEqual([]));
  });

  it('a client that closes its end at once still gets its answers', async () => {
    const client = startMcpStdio(setUp().place, [], unhurried);
    client.write(hello(0));
    client.write(initialized);
    client.write(callOf(1, 'capability_search', { query: 'echo' }));
    client.child.stdin.end();
    expect(await client.exited).toBe(0);
    // A server that connects in between changes the list, which is said once and is no answer.
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    const received = client.received();
    const answers = received.filter(({ id }) => id !== undefined);
    expect(answers.map(({ id }) => id)).toEqual([0, 1]);
    expect([[], [changed]]).toContainEqual(received.filter((message) => !answers.includes(message)));
  });

  it('a client that closes its end gets a large answer whole', async () => {
    const alias = { target: 's.big', passthrough: true };
    const config = { mcpServers: { s: fixture() }, capabilityAliases: { big: alias } };
    const client = await open(placeOf(config), [], unhurried);
    let id = 1;
    await eventually(async () => {
      id += 1;
      client.write(callOf(id, 'big', { bytes: 1 }));
      expect(await client.answer(id)).toMatchObject({ result: { content: [{ text: 'x' }] } });
    });
    client.write(callOf(1, 'big', { bytes: 20_000_000 }));
    client.child.stdin.end();
    expect(await client.exited).toBe(0);
    const { result } = await client.answer(1);
    expect((result as { content: [{ text: string }] }).content[0].text).toHaveLength(20_000_000);
  });

  it('it is a command of portico as well', async () => {
    const { place } = setUp();
    const client = startMcpStdio(place, [], { main: cliMain });
    client.write(hello(0));
    expect(await client.answer(0)).toMatchObject({ result: { serverInfo: { name: 'portico' } } });
  });

  it('stdout carries JSON-RPC only, and invalid lines are answered', async () => {
    const { config } = setUp();
    const noisy = { ...config, mcpServers: { ...config.mcpServers, noise: fixture('--noise') } };
    const client = await open(placeOf(noisy), ['--log-level', 'trace']);
    client.write('{"broken":');
    await isServing(client);
    expect(client.received().every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    expect(client.received()).toContainEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, message: expect.any(String) },
    });
    expect(client.stderr()).not.toBe('');
  });

  it.each([
    ['a configuration that is none', { mcpServers: 7 }, [], 'mcpServers'],
    ['a profile that does not exist', { mcpServers: {} }, ['--profile', 'gone'], 'no profile "gone"'],
    ['a flag that is none', { mcpServers: {} }, ['--port', '1'], 'unknown option'],
  ])('%s ends it with 2', async (_what, config, args, message) => {
    const running = run(mcpStdioMain, [...argsOf(placeOf(config)), ...args]);
    expect([await running.exited, running.stdout()]).toEqual([2, '']);
    expect(running.stderr()).toContain(message);
  });

  it('a stop signal ends it with 0', async () => {
    const client = await open(setUp().place);
    client.child.kill('SIGTERM');
    expect(await client.exited).toBe(0);
  });
});

describe('beside a daemon', () => {
  it('it uses the sessions and the state of the daemon', async () => {
    const { upstream, config, place } = setUp();
    const daemon = await startDaemon(config, { stateDir: place.stateDir });
    await daemon.connected();
    const client = await open(place);
    const call = { capability_id: 's.echo', args: {}, idempotency_key: 'k' };
    client.write(callOf(1, 'capability_call', call));
    expect(await client.answer(1)).toMatchObject({ result: { structuredContent: { ok: true } } });
    const record = await daemon.get<{ record: { key: string } }>('/v1/idempotency/records/k');
    expect(record.body.record.key).toBe('k');
    expect(new Set(upstream.received().map(({ pid }) => pid)).size).toBe(1);
    client.child.stdin.end();
    expect(await client.exited).toBe(0);
    expect((await daemon.server('s')).status).toBe('connected');
  });

  it('it serves a profile of the daemon, and none that the daemon does not have', async () => {
    const { config, place } = setUp();
    const daemon = await startDaemon({ ...config, profiles: { none: { servers: [] } } }, { stateDir: place.stateDir });
    await daemon.connected();
    const client = await open(place, ['--profile', 'none']);
    client.write(callOf(1, 'echo'));
    expect(await client.answer(1)).toMatchObject({ error: { code: -32602 } });
    const other = run(mcpStdioMain, [...argsOf(place), '--profile', 'gone']);
    expect(await other.exited).toBe(2);
    expect(other.stderr()).toContain('no profile "gone"');
  });

  it('it answers what was under way when the daemon is killed, goes on by itself, and says that lists may have changed', async () => {
    const { config, place, upstream } = setUp();
    const daemon = await startDaemonProcess(config, { stateDir: place.stateDir });
    await daemon.connected();
    const client = await open(place);
    client.write(callOf(1, 'never'));
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(1));
    await daemon.stop('SIGKILL');
    expect(await client.answer(1)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('its outcome is unknown') },
    });
    await isServing(client);
    expect(client.received().map(({ method }) => method)).toContain('notifications/tools/list_changed');
    expect(client.received().filter(({ id }) => typeof id === 'string')).toEqual([]);
    client.child.stdin.end();
    expect(await client.exited).toBe(0);
  });

  it('a client of 2026-07-28 keeps its subscription when the daemon is stopped', async () => {
    const { config, place, upstream } = setUp();
    const daemon = await startDaemon(config, { stateDir: place.stateDir });
    await daemon.connected();
    const client = startMcpStdio(place);
    const listen = modernRequest(7, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    client.write(modernRequest(1, 'server/discover').body);
    await client.answer(1);
    client.write(listen.body);
    const seen = (method: string) => client.received().filter((message) => message.method === method);
    await eventually(() => expect(seen('notifications/subscriptions/acknowledged')).toHaveLength(1));
    await daemon.stop();
    await eventually(() => expect(seen('notifications/tools/list_changed')).not.toEqual([]));
    upstream.define({ tools: [tool('echo'), tool('new')] });
    let id = 10;
    await eventually(async () => {
      id += 1;
      client.write(modernRequest(id, 'tools/list').body);
      const { result } = (await client.answer(id)) as unknown as { result: { tools: readonly { name: string }[] } };
      expect(result.tools.map(({ name }) => name)).toContain('echo');
    });
    expect(seen('notifications/subscriptions/acknowledged')).toHaveLength(1);
    expect(client.received().filter((message) => message.id === 7)).toEqual([]);
  });
});

describe('two at once', () => {
  it('share one service: one hosts, the other joins, and lives on when the host is killed', async () => {
    const { place, upstream } = setUp();
    const [a, b] = await Promise.all([open(place), open(place)]);
    await Promise.all([isServing(a), isServing(b)]);
    const pids = new Set(upstream.received().map(({ pid }) => pid));
    expect(pids.size).toBe(1);
    const isHost = (client: typeof a) => client.stderr().includes('server is connected');
    await eventually(() => expect([a, b].some(isHost)).toBe(true)); // it comes another way than the answers
    const [host, other] = isHost(a) ? [a, b] : [b, a];
    expect([isHost(host), isHost(other)]).toEqual([true, false]);
    host.child.kill('SIGKILL');
    await isServing(other);
    await eventually(() => expect([...pids].filter(isAlive)).toEqual([]));
    other.child.stdin.end();
    expect(await other.exited).toBe(0);
  });

  it('find each other where the state directory is too deep for a socket', async () => {
    const { place, upstream } = setUp();
    const deep = { ...place, stateDir: `${place.stateDir}/${'deep-'.repeat(30)}` };
    const clients = await Promise.all([open(deep), open(deep)]);
    await Promise.all(clients.map(isServing));
    expect(new Set(upstream.received().map(({ pid }) => pid)).size).toBe(1);
    for (const { child } of clients) child.stdin.end();
    expect(await Promise.all(clients.map(({ exited }) => exited))).toEqual([0, 0]);
  });
});
