// A daemon that comes back while a stdio client lives: the client's process has taken the state over, hands it back, and
// goes on as a client of the daemon.
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditOf } from './support/audit.js';
import { type DaemonProcess, runDaemon, startDaemonProcess } from './support/daemon-process.js';
import {
  argsOf,
  callOf,
  type DaemonFiles,
  hello,
  initialized,
  placeOf,
  run as runMain,
  startMcpStdio,
} from './support/mcp.js';
import { repository } from './support/repository.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually, isAlive } from './support/wait.js';

const daemonMain = join(repository, 'apps/daemon/dist/main.js');

function setUp() {
  const upstream = scripted({ tools: [tool('echo'), tool('held'), tool('never')] });
  const place = placeOf({
    mcpExposure: 'native',
    mcpServers: { s: upstream.server },
    audit: { filePath: 'audit.jsonl', durability: 'strict' }, // a kill takes nothing back
  });
  return { upstream, place };
}

const start = ({ configFile, stateDir }: DaemonFiles) =>
  startDaemonProcess(undefined, { configFile, stateDir, logLevel: 'info' });
/** Not waited for. */
const launchDaemon = (place: DaemonFiles) => runMain(daemonMain, [...argsOf(place), '--port', '0']);
/** A daemon that is expected to end by itself. */
const run = ({ configFile, stateDir }: DaemonFiles) => runDaemon(undefined, { configFile, stateDir, logLevel: 'info' });

async function open(place: DaemonFiles) {
  const client = startMcpStdio(place, ['--log-level', 'info']);
  client.write(hello(0));
  await client.answer(0);
  client.write(initialized);
  let id = 0;
  const begin = (name: string, args: object = {}) => {
    id += 1;
    client.write(callOf(id, name, args));
    return id;
  };
  const call = async (name: string, args: object = {}) =>
    (await client.answer(begin(name, args))) as { result?: object };
  return { ...client, pid: client.child.pid ?? 0, begin, call };
}

type Client = Awaited<ReturnType<typeof open>>;

/** A call that reaches the server, once the service that the client had has gone. */
const reaches = (client: Client, args: object) =>
  eventually(async () => {
    const { result } = await client.call('s__echo', args);
    expect(result).toMatchObject({ structuredContent: { name: 'echo' } });
  });

type Upstream = ReturnType<typeof scripted>;
const callsIn = (upstream: Upstream) => upstream.received('tools/call').map(({ params }) => params.arguments);
const pidsOf = (upstream: Upstream) => [...new Set(upstream.received().map(({ pid }) => pid))];

const lists = (client: Client) =>
  client.received().filter(({ method }) => method === 'notifications/tools/list_changed').length;
const isAsked = (client: Client) =>
  eventually(() => expect(client.stderr()).toContain('handing the state directory over'));
const socketIn = ({ stateDir }: DaemonFiles) => join(stateDir, 'portico.sock');

describe('a daemon that is killed under a stdio client', () => {
  it('starts again however often, and the client, the keys and the records go on', async () => {
    const { upstream, place } = setUp();
    let daemon: DaemonProcess = await start(place);
    await daemon.connected();
    const client = await open(place);
    for (const round of [1, 2, 3]) {
      await daemon.stop('SIGKILL');
      await reaches(client, { round, by: 'client' });
      const listed = lists(client);
      daemon = await start(place);
      await eventually(() => expect(lists(client)).toBeGreaterThan(listed));
      expect(await client.call('s__echo', { round, by: 'daemon' })).toMatchObject({
        result: { structuredContent: {} },
      });
      const { pid } = await daemon.server('s');
      expect(pidsOf(upstream).filter(isAlive)).toEqual([pid]);
    }
    const calls = callsIn(upstream);
    expect(calls).toEqual([1, 2, 3].flatMap((round) => ['client', 'daemon'].map((by) => ({ round, by }))));
    const { is_valid, first_corrupted_id } = await auditOf(daemon).report();
    expect([is_valid, first_corrupted_id]).toEqual([true, null]);
    const recorded = await auditOf(daemon).events('?event_type=tool_call&status=success&limit=1000');
    expect(recorded).toHaveLength(calls.length);
    client.child.stdin.end();
    expect(await client.exited).toBe(0);
    expect((await daemon.stop()).code).toBe(0);
    await eventually(() => expect(pidsOf(upstream).filter(isAlive)).toEqual([]));
  });

  it('finds calls that ran under a key in between', async () => {
    const { upstream, place } = setUp();
    const facade = placeOf({ mcpServers: { s: upstream.server } });
    const both = { ...place, configFile: facade.configFile };
    const client = await open(both);
    const call = { capability_id: 's.echo', args: {}, idempotency_key: 'k' };
    expect(await client.call('capability_call', call)).toMatchObject({ result: { structuredContent: { ok: true } } });
    const daemon = await start(both);
    expect((await daemon.call('s.echo', {}, { idempotency_key: 'k' })).headers['x-service-deduplicated']).toBe('true');
    expect(await client.call('capability_call', call)).toMatchObject({ result: { structuredContent: { ok: true } } });
    expect(callsIn(upstream)).toHaveLength(1);
  });

  it('receives the state once running calls are answered, and answers the requests in between itself', async () => {
    const { upstream, place } = setUp();
    const client = await open(place);
    await reaches(client, {});
    const held = client.begin('s__held');
    await eventually(() => expect(callsIn(upstream)).toHaveLength(2));
    const starting = start(place);
    await isAsked(client);
    const meanwhile = client.begin('s__echo', { meanwhile: true });
    upstream.release();
    expect(await client.answer(held)).toMatchObject({ result: { content: [{ text: 'held' }] } });
    const daemon = await starting;
    expect(await client.answer(meanwhile)).toMatchObject({ result: { structuredContent: { name: 'echo' } } });
    expect(callsIn(upstream)).toHaveLength(3);
    expect(upstream.received('tools/call').at(-1)?.pid).toBe((await daemon.server('s')).pid);
    expect((await auditOf(daemon).report()).is_valid).toBe(true);
  });

  it('waits only a limited time for a call that does not end', async () => {
    const { upstream, place } = setUp();
    const client = await open(place);
    await reaches(client, {});
    const never = client.begin('s__never');
    await eventually(() => expect(callsIn(upstream)).toHaveLength(2));
    const daemon = await start(place);
    expect(JSON.stringify(await client.answer(never))).toContain('the service is stopping');
    expect(await client.call('s__echo')).toMatchObject({ result: { structuredContent: {} } });
    expect(pidsOf(upstream).filter(isAlive)).toEqual([(await daemon.server('s')).pid]);
  });

  it('takes over from several clients that share a service', async () => {
    const { upstream, place } = setUp();
    const clients = await Promise.all([open(place), open(place), open(place)]);
    for (const client of clients) await reaches(client, {});
    const daemon = await start(place);
    const before = callsIn(upstream).length;
    for (const client of clients) await reaches(client, {});
    expect(callsIn(upstream).length).toBe(before + 3);
    expect(pidsOf(upstream).filter(isAlive)).toEqual([(await daemon.server('s')).pid]);
    for (const { child } of clients) child.stdin.end();
    expect(await Promise.all(clients.map(({ exited }) => exited))).toEqual([0, 0, 0]);
  });
});

describe('who asks for the state', () => {
  it('is one of two daemons that start at once: the other says which has it', async () => {
    const { upstream, place } = setUp();
    const client = await open(place);
    await reaches(client, {});
    const started = await Promise.allSettled([start(place), start(place)]);
    const ready = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const refused = started.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    expect([ready.length, refused.length]).toEqual([1, 1]);
    expect(refused[0]).toContain(`is in use by process ${ready[0]?.pid}`);
    await reaches(client, {});
    expect(pidsOf(upstream).filter(isAlive)).toEqual([(await ready[0]?.server('s'))?.pid]);
  });

  it('may be gone when it is to be given: the client goes on by itself, and the next daemon gets it', async () => {
    const { upstream, place } = setUp();
    const client = await open(place);
    await reaches(client, {});
    const held = client.begin('s__held');
    await eventually(() => expect(callsIn(upstream)).toHaveLength(2));
    const { child, exited } = launchDaemon(place);
    await isAsked(client);
    child.kill('SIGKILL');
    await exited;
    upstream.release();
    expect(await client.answer(held)).toMatchObject({ result: { content: [{ text: 'held' }] } });
    await reaches(client, {});
    const daemon = await start(place);
    await reaches(client, {});
    expect(callsIn(upstream)).toHaveLength(4);
    expect(pidsOf(upstream).filter(isAlive)).toEqual([(await daemon.server('s')).pid]);
  });

  it('prints the next step where the process that has it does not answer', async () => {
    const { upstream, place } = setUp();
    const client = await open(place);
    await reaches(client, { before: true });
    process.kill(client.pid, 'SIGSTOP');
    const { code, stderr } = await run(place);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        `state directory ${place.stateDir} is in use by process ${client.pid}, which does not answer the request to hand it over within 5000 ms; end it, by "kill -9 ${client.pid}" where it is stopped, and start again`,
      ),
    ]);
    process.kill(client.pid, 'SIGCONT');
    await reaches(client, { after: true });
    const daemon = await start(place);
    await reaches(client, { with: 'the daemon' });
    expect(pidsOf(upstream).filter(isAlive)).toEqual([(await daemon.server('s')).pid]);
  });

  it('has to have the token of the state directory', async () => {
    const { upstream, place } = setUp();
    const client = await open(place);
    await reaches(client, {});
    for (const token of [undefined, 'x', 'f'.repeat(64)]) {
      const socket = connect(socketIn(place));
      let delivered = '';
      socket.on('data', (chunk) => {
        delivered += String(chunk);
      });
      socket.write(`${JSON.stringify({ portico: 1, profile: null, wantsState: true, token })}\n`);
      await once(socket, 'close');
      expect(delivered).toContain('it did not send the token');
    }
    await reaches(client, {});
    expect(pidsOf(upstream)).toHaveLength(1);
  });
});
